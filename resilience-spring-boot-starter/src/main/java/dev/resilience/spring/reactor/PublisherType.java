package dev.resilience.spring.reactor;

import dev.resilience.context.ContextCarrier;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/**
 * A reactive type that a protected method may return: {@code Mono} and {@code Flux}, and those that Spring's {@link
 * ReactiveAdapterRegistry} makes of them and turns into them. An application need not have any of these. Immutable.
 */
public final class PublisherType {

    /** None or one value. */
    public static final PublisherType MONO = new PublisherType(null, false);

    /** Any number of values. */
    public static final PublisherType FLUX = new PublisherType(null, true);

    private static final boolean HAS_REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", PublisherType.class.getClassLoader());

    private final @Nullable ReactiveAdapter adapter;
    private final boolean isMultiValue;

    private PublisherType(@Nullable ReactiveAdapter adapter, boolean isMultiValue) {
        this.adapter = adapter;
        this.isMultiValue = isMultiValue;
    }

    /** The reactive type that a class is; {@code null} for other classes, subclasses and futures too. */
    public static @Nullable PublisherType of(@Nullable Class<?> type) {
        if (!HAS_REACTOR || type == null || isOfJdk(type)) {
            return null;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (adapter == null
                || adapter.getReactiveType() != type
                || !adapter.getDescriptor().isDeferred()) {
            return null;
        }
        return switch (type.getName()) {
            case "reactor.core.publisher.Mono" -> MONO;
            case "reactor.core.publisher.Flux" -> FLUX;
            default -> new PublisherType(adapter, adapter.isMultiValue());
        };
    }

    /** Spares the look at the registry, which loads every reactive library that is there. */
    private static boolean isOfJdk(Class<?> type) {
        return type.isArray() || (type.getClassLoader() == null && type != Flow.Publisher.class);
    }

    /** Whether Reactor is there, without which no reactive type is protected. */
    public static boolean hasReactor() {
        return HAS_REACTOR;
    }

    /** Whether there may be any number of values, as in a {@code Flux}. */
    public boolean isMultiValue() {
        return isMultiValue;
    }

    /** Whether there is never a value, as in RxJava's {@code Completable}. */
    public boolean isNoValue() {
        return adapter != null && adapter.isNoValue();
    }

    /**
     * What makes the publishers of a method.
     *
     * @param idempotent whether its calls ask a store, which blocks
     * @param carrier takes along what is bound to the subscriber's thread to the one on which that is done
     */
    public ProtectedPublishers publishers(boolean idempotent, ContextCarrier carrier) {
        ProtectedPublishers ofReactor = isMultiValue
                ? ProtectedFlux::new
                : idempotent ? ProtectedMonos.idempotent(carrier) : ProtectedMonos::assemble;
        if (adapter == null) {
            return ofReactor;
        }
        boolean isFlow = adapter.getReactiveType().getName().equals("kotlinx.coroutines.flow.Flow");
        return new AdaptedPublishers(adapter, isFlow ? new SuspendingCalls(ofReactor) : ofReactor);
    }
}
