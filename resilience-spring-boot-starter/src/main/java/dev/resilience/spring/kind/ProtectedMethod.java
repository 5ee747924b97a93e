package dev.resilience.spring.kind;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.TimeSource;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * A method that a kind protects, and what else protects it.
 *
 * @param <A> the annotation of the kind
 */
public interface ProtectedMethod<A extends Annotation> {

    /** The annotation that holds: the method's own, or its type's. */
    A annotation();

    Method method();

    /** The type of the method, as it is written. */
    Class<?> type();

    /** The bean whose method it is, if its class does not tell. */
    @Nullable
    String bean();

    /** Whether it returns a stage; {@code null} if its return type is a problem, which is reported already. */
    @Nullable
    Boolean isAsynchronous();

    /** The type of the result: of the value that a stage holds, or of what the method returns. */
    ResolvableType resultType();

    /** Whether the method begins a transaction, or takes part in one. */
    boolean isTransactional();

    /** The annotation of another kind, if that protects the method too. */
    <B extends Annotation> @Nullable B annotation(Class<B> annotation);

    /** Whether the layer of this kind stands inside another one: {@code idempotent}. */
    boolean isInside(String layer);

    /**
     * The live object that the annotation of a kind names.
     *
     * @return {@code null} if the kind does not protect the method, or if its policy is a problem that is reported already
     * @throws dev.resilience.spring.ResilienceConfigurationException if there is no policy of that name
     */
    <B extends Annotation, L extends LiveObject<?>> @Nullable L live(ConfiguredKind<B, ?, L> kind);

    /** As {@link #live(ConfiguredKind)}, for the kind that is a bean of the class. */
    <L extends LiveObject<?>> @Nullable L live(Class<? extends ConfiguredKind<?, ?, L>> kind);

    /**
     * The live object that belongs to the method and not to a policy.
     *
     * @param making gets all those of the kind that there are
     */
    <L> L own(Kind<A, L> kind, Function<Collection<L>, L> making);

    /** Notes that the method uses a policy of another kind. */
    void uses(Class<? extends ConfiguredKind<?, ?, ?>> kind, String policy);

    /** Where every wait and every timestamp comes from. */
    TimeSource time();

    /** What is said at startup and need not fail it. */
    StartupWarnings warnings();

    /** Beans of the application. */
    <T> ObjectProvider<T> beans(Class<T> type);

    /** Where beans of the application are found by name. */
    ConfigurableListableBeanFactory beanFactory();
}
