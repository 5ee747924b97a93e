package dev.resilience.retry;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The last failures of a retry policy's calls at one moment, for people to read. A call has failed if it ended
 * otherwise than with a success, after all its retries. One that its caller interrupted or cancelled counts neither way.
 *
 * @param lastFailure the type and message of the exception that the last failed call ended with, and those of its root
 *     cause; {@code result} if its last result asked for another try; {@code null} if none has failed
 * @param lastFailureAt when the last failed call ended, by the wall clock; {@code null} if none has failed
 * @param failingSince when the first attempt failed since the last success, by the wall clock; {@code null} if no call has
 *     failed since
 */
public record RetryStatus(
        @Nullable String lastFailure,
        @Nullable Instant lastFailureAt,
        @Nullable Instant failingSince) {}
