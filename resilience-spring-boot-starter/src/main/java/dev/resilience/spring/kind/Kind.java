package dev.resilience.spring.kind;

import dev.resilience.pipeline.Layer;
import dev.resilience.spring.LiveRegistry;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * One kind of protection: its annotation, its layer around a method, its place in the order and its meters. Most kinds have
 * policies by name and extend {@link ConfiguredKind}.
 *
 * <p>A kind is a bean. It is made before almost every other bean, so it takes nothing in its constructor and asks {@link
 * KindContext} and {@link ProtectedMethod} for what it needs. It has no state and is safe for use by many threads.
 *
 * @param <A> the annotation
 * @param <L> the live object: what counts calls and holds state
 */
public abstract class Kind<A extends Annotation, L> implements LiveRegistry.Lifecycle<L>, AopInfrastructureBean {

    private static final Set<String> NAMED_IN_ORDER =
            Set.of("idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit");

    private final String id;
    private final @Nullable Class<A> annotation;
    private final @Nullable String inside;

    /**
     * @param id the name in YAML, in the actuator and, for most kinds, in {@code resilience.order}
     * @param annotation protects methods; {@code null} if methods do not name policies of this kind themselves
     * @param inside the layer that this one stands directly inside, in the default order; {@code null} for the outermost
     */
    protected Kind(String id, @Nullable Class<A> annotation, @Nullable String inside) {
        this.id = id;
        this.annotation = annotation;
        this.inside = inside;
    }

    /** The name in YAML, in the actuator and, for most kinds, in {@code resilience.order}. */
    public final String id() {
        return id;
    }

    /** The annotation that protects methods; {@code null} if methods do not name policies of this kind themselves. */
    public final @Nullable Class<A> annotation() {
        return annotation;
    }

    /** The layer that this one stands directly inside, in the default order; {@code null} for the outermost. */
    public final @Nullable String inside() {
        return inside;
    }

    /** The name of the layer in {@code resilience.order}. */
    public String layerName() {
        return id;
    }

    /** Whether {@code resilience.order} may leave the layer out, which then keeps its place: all but five of the library's. */
    public final boolean mayBeLeftOutOfOrder() {
        return !NAMED_IN_ORDER.contains(layerName());
    }

    /** Whether the layer may run the method more than once in a call. */
    public boolean repeats() {
        return false;
    }

    /** Whether an annotation of the type holds for one of its methods. */
    public boolean holdsFor(A ofType, Method method) {
        return true;
    }

    /**
     * Makes the layer around a method. Called once for each method, at startup.
     *
     * @return {@code null} if what the annotation names is a problem that is reported already
     * @throws dev.resilience.spring.ResilienceConfigurationException for what cannot work
     */
    public abstract @Nullable Layer layer(ProtectedMethod<A> method);

    /** The name of a live object, which its meters have as their tag {@code name}. */
    public abstract String name(L live);

    /** Registers the meters of a live object: all of its series, from the start. */
    public void meters(L live, Meters meters) {}
}
