package dev.resilience.spring.reactor;

import dev.resilience.context.ContextCarrier;
import dev.resilience.exception.BodyCancelledException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Makes the publishers that callers of one protected method get: each subscription is a call. Loaded without Reactor, which
 * need not be on the class path.
 *
 * <p>Attempts return publishers of Reactor's or of another library, and callers get what the method declares. Of Kotlin's
 * suspending functions Spring's proxies make a {@code Mono}, in the context of the caller's coroutine, and suspend the
 * caller until the protected one has ended; of one that returns a {@code Flow}, a {@code Flux}. A coroutine that ends with a
 * {@code CancellationException} was cancelled: no layer takes that for a failure. That of {@code withTimeout} inside the body
 * is a timeout. If the caller is cancelled, so is the subscription, and the body does not come here.
 */
public final class ProtectedPublishers {

    private static final String TIMEOUT = "kotlinx.coroutines.TimeoutCancellationException";

    /** The call that one subscription is, for the code that runs its attempts. */
    public interface Call {

        /**
         * Subscribes to what an attempt has returned.
         *
         * @return ends with the publisher; cancelling it cancels the subscription
         * @throws NullPointerException if the attempt returned no publisher
         */
        CompletionStage<?> begin(@Nullable Object publisher);

        /** Subscribes to what a fallback has returned; a value in place of a publisher is the publisher of this one value. */
        CompletionStage<?> answer(@Nullable Object returned);

        /** The request that the subscription belongs to; see {@link ReactiveCallContext}. */
        @Nullable
        Object exchange();

        /** See {@link Invocation#isInTransaction()}. */
        boolean isInTransaction();

        /** Whether the subscriber has an answer or has cancelled. */
        boolean isOver();

        /** See {@link Invocation#hasEmitted()}. */
        boolean hasEmitted();

        /** See {@link Invocation#beforeNextElement}. */
        default void beforeNextElement(Runnable action) {}
    }

    private final PublisherType type;
    private final boolean isCoroutine;
    private final @Nullable ContextCarrier carrier;

    /**
     * @param carrier takes what is bound to the subscriber's thread to the one on which a store is asked; {@code null} if none
     *     is asked
     */
    ProtectedPublishers(PublisherType type, boolean isCoroutine, @Nullable ContextCarrier carrier) {
        this.type = type;
        this.isCoroutine = isCoroutine;
        this.carrier = carrier;
    }

    /**
     * A publisher, which does nothing until it is subscribed to.
     *
     * @param pipeline protects each subscription
     * @param calls makes the call that a subscription is; its attempts begin their publishers with the given object
     */
    public Object assemble(Pipeline pipeline, Function<Call, Invocation> calls) {
        Object assembled = type.isMultiValue()
                ? FluxCall.assemble(this, pipeline, calls)
                : MonoCall.assemble(this, carrier, pipeline, calls);
        return type.fromReactor(isCoroutine ? mapErrors(assembled, ProtectedPublishers::thrown) : assembled);
    }

    /** What an attempt or a fallback has returned, as Reactor subscribes to it; what is no publisher stays as it is. */
    @Nullable
    Object read(@Nullable Object returned) {
        Object read = returned;
        if (!(returned instanceof Publisher<?>) && (isCoroutine || type.isAdapted())) {
            ReactiveAdapter adapter =
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, returned);
            read = adapter == null ? returned : adapter.toPublisher(returned);
        }
        return isCoroutine && read instanceof Publisher<?> publisher
                ? mapErrors(publisher instanceof Mono<?> ? publisher : Flux.from(publisher), ProtectedPublishers::ended)
                : read;
    }

    private static Throwable ended(Throwable failure) {
        boolean isCancelled = failure instanceof CancellationException cancelled
                && !cancelled.getClass().getName().equals(TIMEOUT);
        return isCancelled ? new BodyCancelledException(failure) : failure;
    }

    private static Throwable thrown(Throwable failure) {
        return failure instanceof BodyCancelledException cancelled ? cancelled.cancellation() : failure;
    }

    private static Object mapErrors(Object publisher, UnaryOperator<Throwable> mapping) {
        return publisher instanceof Mono<?> mono ? mono.onErrorMap(mapping) : ((Flux<?>) publisher).onErrorMap(mapping);
    }

    /**
     * A reactive type that a protected method may return: {@code Mono} and {@code Flux}, and those that Spring's {@link
     * ReactiveAdapterRegistry} makes of them and turns into them. An application need not have any of these. Immutable.
     */
    public static final class PublisherType {

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
            ReactiveAdapter adapter =
                    ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
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

        /** Whether it is of another library than Reactor. */
        boolean isAdapted() {
            return adapter != null;
        }

        /** A publisher of this type that fails when it is subscribed to. */
        public Object failing(Throwable failure) {
            // no conditional, whose type would have to be loaded without Reactor too
            if (isMultiValue) {
                return fromReactor(Flux.error(failure));
            }
            return fromReactor(Mono.error(failure));
        }

        /** The publisher of this type that signals what one of Reactor's does. */
        Object fromReactor(Object publisher) {
            return adapter == null ? publisher : adapter.fromPublisher((Publisher<?>) publisher);
        }

        /**
         * What makes the publishers of a method.
         *
         * @param isSuspending whether it is a suspending function
         * @param carrier takes along what is bound to the subscriber's thread to the one on which the store of an idempotent
         *     method is asked, which blocks; {@code null} for other methods
         */
        public ProtectedPublishers publishers(boolean isSuspending, @Nullable ContextCarrier carrier) {
            boolean isFlow =
                    adapter != null && adapter.getReactiveType().getName().equals("kotlinx.coroutines.flow.Flow");
            return new ProtectedPublishers(this, isSuspending || isFlow, carrier);
        }
    }
}
