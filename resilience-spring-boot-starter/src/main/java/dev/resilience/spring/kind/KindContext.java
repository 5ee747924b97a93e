package dev.resilience.spring.kind;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** What a kind makes the live object of one policy with. */
public interface KindContext {

    /** Where every wait and every timestamp comes from. */
    TimeSource time();

    /**
     * The time of this policy alone, for asynchronous calls that go on after a wait: it has threads for that, and its waits
     * end with the application. Asked for once at the most.
     */
    TimeSource ownTime();

    /** Where listeners are told of what happens. */
    EventPublisher events();

    /** Tells transient failures from permanent ones. */
    CompositeFaultClassifier faults();

    /** Takes along what is bound to the caller's thread to other threads. */
    ContextCarrier carrier();

    /** What is said at startup and need not fail it. */
    StartupWarnings warnings();

    /** Beans of the application, which are made now if they are not there yet. */
    <T> ObjectProvider<T> beans(Class<T> type);

    /** Whether this policy says something of a key itself, and not only what it starts from. */
    boolean isWritten(String key);

    /** Property, value and origin of a key of this policy or of the one that it inherits the key from, for messages. */
    String describe(String key, @Nullable Object value);

    /** The policies of another kind. */
    <M extends LiveObject<?>> OtherPolicies<M> others(Class<? extends ConfiguredKind<?, ?, M>> kind);
}
