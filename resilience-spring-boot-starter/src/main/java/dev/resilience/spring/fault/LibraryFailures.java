package dev.resilience.spring.fault;

import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.ReflectiveAccessor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the answers in the exceptions of cloud SDKs and Jetty, by name: none of them needs to be there. */
public final class LibraryFailures implements HttpFailure.Reader {

    private static final ReflectiveAccessor RESPONSE = new ReflectiveAccessor("getResponse");
    private static final ReflectiveAccessor HEADERS = new ReflectiveAccessor("getHeaders");
    private static final ReflectiveAccessor STATUS = new ReflectiveAccessor("getStatusCode");

    private static final Map<String, Answer> ANSWERS = Map.of(
            "software.amazon.awssdk.core.exception.SdkServiceException",
            new Answer(List.of(new ReflectiveAccessor("statusCode")), List.of()),
            // the exception of Google's JSON transport: what its SDKs throw has this as its cause
            "com.google.api.client.http.HttpResponseException",
            new Answer(List.of(STATUS), List.of(HEADERS, new ReflectiveAccessor("getRetryAfter"))),
            "com.azure.core.exception.HttpResponseException",
            new Answer(List.of(RESPONSE, STATUS), List.of(RESPONSE, header("getHeaderValue"))),
            // what Jetty throws instead of returning a 401 that names no way to authenticate
            "org.eclipse.jetty.client.HttpResponseException",
            new Answer(
                    List.of(RESPONSE, new ReflectiveAccessor("getStatus")), List.of(RESPONSE, HEADERS, header("get"))));

    private static ReflectiveAccessor header(String getter) {
        return new ReflectiveAccessor(getter, "Retry-After");
    }

    @Override
    public @Nullable HttpFailure read(Throwable failure) {
        Answer answer = ClassNames.closest(ANSWERS, failure);
        return answer == null ? null : answer.in(failure);
    }

    /** Where an exception has the status and the hint, getter by getter; without a getter there is no hint. */
    private record Answer(List<ReflectiveAccessor> status, List<ReflectiveAccessor> retryAfter) {

        @Nullable
        HttpFailure in(Throwable failure) {
            // clients use 0 or less for "there was no answer"
            return follow(status, failure) instanceof Integer code && code > 0
                    ? new HttpFailure(code, follow(retryAfter, failure) instanceof String hint ? hint : null)
                    : null;
        }

        private static @Nullable Object follow(List<ReflectiveAccessor> path, Throwable failure) {
            Object found = failure;
            for (ReflectiveAccessor getter : path) {
                found = getter.of(found);
            }
            return found;
        }
    }
}
