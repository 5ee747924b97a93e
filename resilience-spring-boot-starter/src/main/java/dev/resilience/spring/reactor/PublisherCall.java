package dev.resilience.spring.reactor;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The call that one subscription is, for the code that runs its attempts. Names no type of Reactor's, which need not be on
 * the class path.
 */
public interface PublisherCall {

    /**
     * Subscribes to what an attempt has returned.
     *
     * @return ends with the publisher; cancelling it cancels the subscription
     * @throws NullPointerException if the attempt returned no publisher
     */
    CompletionStage<?> begin(@Nullable Object publisher);

    /** Subscribes to what a fallback has returned; a value in place of a publisher is the publisher of this one value. */
    CompletionStage<?> answer(@Nullable Object returned);

    /** The request that the subscription belongs to; see {@link ReactiveRequest}. */
    @Nullable
    Object exchange();

    /** See {@link dev.resilience.pipeline.Invocation#endAttempt()}. */
    boolean endAttempt();
}
