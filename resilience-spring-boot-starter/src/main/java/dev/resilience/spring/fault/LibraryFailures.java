package dev.resilience.spring.fault;

import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.ReflectiveAccessor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the answers in the exceptions of cloud SDKs and Jetty, by name: none of them needs to be there. */
public final class LibraryFailures implements HttpFailure.Reader {

    private static final String RETRY_AFTER = "Retry-After";

    private static final Map<String, HttpFailure.Reader> READERS = Map.of(
            "software.amazon.awssdk.core.exception.SdkServiceException", new Aws(),
            "com.google.api.client.http.HttpResponseException", new Google(),
            "com.azure.core.exception.HttpResponseException", new Azure(),
            "org.eclipse.jetty.client.HttpResponseException", new Jetty());

    @Override
    public @Nullable HttpFailure read(Throwable failure) {
        HttpFailure.Reader reader = ClassNames.closest(READERS, failure);
        return reader == null ? null : reader.read(failure);
    }

    private static @Nullable HttpFailure answer(@Nullable Object status, @Nullable Object retryAfter) {
        // clients use 0 or less for "there was no answer"
        return status instanceof Integer code && code > 0
                ? new HttpFailure(code, retryAfter instanceof String hint ? hint : null)
                : null;
    }

    private static final class Aws implements HttpFailure.Reader {

        private final ReflectiveAccessor status = new ReflectiveAccessor("statusCode");

        @Override
        public @Nullable HttpFailure read(Throwable failure) {
            return answer(status.of(failure), null);
        }
    }

    /** The exception of Google's JSON transport: what its SDKs throw has this as its cause. */
    private static final class Google implements HttpFailure.Reader {

        private final ReflectiveAccessor status = new ReflectiveAccessor("getStatusCode");
        private final ReflectiveAccessor headers = new ReflectiveAccessor("getHeaders");
        private final ReflectiveAccessor retryAfter = new ReflectiveAccessor("getRetryAfter");

        @Override
        public @Nullable HttpFailure read(Throwable failure) {
            return answer(status.of(failure), retryAfter.of(headers.of(failure)));
        }
    }

    private static final class Azure implements HttpFailure.Reader {

        private final ReflectiveAccessor response = new ReflectiveAccessor("getResponse");
        private final ReflectiveAccessor status = new ReflectiveAccessor("getStatusCode");
        private final ReflectiveAccessor header = new ReflectiveAccessor("getHeaderValue", RETRY_AFTER);

        @Override
        public @Nullable HttpFailure read(Throwable failure) {
            Object answer = response.of(failure);
            return answer(status.of(answer), header.of(answer));
        }
    }

    /** What Jetty throws instead of returning a 401 that names no way to authenticate. */
    private static final class Jetty implements HttpFailure.Reader {

        private final ReflectiveAccessor response = new ReflectiveAccessor("getResponse");
        private final ReflectiveAccessor status = new ReflectiveAccessor("getStatus");
        private final ReflectiveAccessor headers = new ReflectiveAccessor("getHeaders");
        private final ReflectiveAccessor header = new ReflectiveAccessor("get", RETRY_AFTER);

        @Override
        public @Nullable HttpFailure read(Throwable failure) {
            Object answer = response.of(failure);
            return answer(status.of(answer), header.of(headers.of(answer)));
        }
    }
}
