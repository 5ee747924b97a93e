package dev.resilience.spring.fault;

import dev.resilience.fault.Fault;
import dev.resilience.spring.ReflectiveAccessor;
import org.jspecify.annotations.Nullable;

/**
 * What the exceptions of cloud SDKs say of themselves. One that says that it is not retryable says it of the SDK's own
 * retries, which have ended by now or were never allowed: then its status and its causes decide.
 */
final class CloudFaults {

    private static final ReflectiveAccessor AWS = new ReflectiveAccessor("retryable");
    private static final ReflectiveAccessor AWS_THROTTLING = new ReflectiveAccessor("isThrottlingException");
    private static final ReflectiveAccessor GOOGLE = new ReflectiveAccessor("isRetryable");

    private CloudFaults() {}

    /** @param failure an {@code SdkException} */
    static Fault ofAws(Throwable failure) {
        return yes(AWS.of(failure)) || yes(AWS_THROTTLING.of(failure)) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /** @param failure an {@code ApiException} or a {@code BaseServiceException} */
    static Fault ofGoogle(Throwable failure) {
        return yes(GOOGLE.of(failure)) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    private static boolean yes(@Nullable Object answer) {
        return Boolean.TRUE.equals(answer);
    }
}
