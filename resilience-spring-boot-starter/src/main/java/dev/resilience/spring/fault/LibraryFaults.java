package dev.resilience.spring.fault;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.HttpFailure;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/**
 * What is known of the exceptions of Spring and of the libraries that it works with, by class name: none of them needs
 * to be there. A name stands for its subclasses, unless they have an entry of their own. The answers in the exceptions of
 * Spring's own HTTP clients are read by methods apart, which are called where these are.
 */
public final class LibraryFaults {

    private static final List<String> TRANSIENT = List.of(
            // Spring
            "org.springframework.dao.TransientDataAccessException",
            "org.springframework.dao.RecoverableDataAccessException",
            "org.springframework.transaction.TransactionTimedOutException",
            // JPA and Hibernate, whose exceptions come untranslated where the application calls them itself
            "jakarta.persistence.OptimisticLockException",
            "jakarta.persistence.PessimisticLockException",
            "jakarta.persistence.LockTimeoutException",
            "jakarta.persistence.QueryTimeoutException",
            "org.hibernate.StaleStateException",
            "org.hibernate.PessimisticLockException",
            "org.hibernate.QueryTimeoutException",
            "org.hibernate.dialect.lock.LockingStrategyException",
            "org.hibernate.exception.LockAcquisitionException",
            // Reactor Netty and Netty
            "io.netty.handler.timeout.TimeoutException",
            "reactor.netty.channel.AbortedException",
            "reactor.netty.http.client.PrematureCloseException",
            "reactor.netty.internal.shaded.reactor.pool.PoolAcquirePendingLimitException",
            "reactor.pool.PoolAcquirePendingLimitException",
            // Apache HttpClient 5, and 4
            "org.apache.hc.core5.http.ConnectionClosedException",
            "org.apache.hc.core5.http.ConnectionRequestTimeoutException",
            "org.apache.hc.core5.http.NoHttpResponseException",
            "org.apache.hc.core5.http.TruncatedChunkException",
            "org.apache.http.ConnectionClosedException",
            "org.apache.http.NoHttpResponseException",
            "org.apache.http.TruncatedChunkException",
            "org.apache.http.conn.ConnectTimeoutException",
            // Spring Cloud Gateway: a status that a route lists as a failure
            "org.springframework.cloud.gateway.filter.factory"
                    + ".SpringCloudCircuitBreakerFilterFactory$CircuitBreakerStatusCodeException",
            "org.springframework.cloud.gateway.server.mvc.filter"
                    + ".CircuitBreakerFilterFunctions$CircuitBreakerStatusCodeException",
            // Kotlin: withTimeout inside the method
            "kotlinx.coroutines.TimeoutCancellationException",
            // Jetty
            "org.eclipse.jetty.io.EofException",
            // the AWS SDK, whose own time limits end a call without a cause
            "software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException",
            "software.amazon.awssdk.core.exception.ApiCallTimeoutException",
            // connection pools
            "org.apache.tomcat.jdbc.pool.PoolExhaustedException");

    private static final List<String> PERMANENT = List.of(
            "org.springframework.dao.DataIntegrityViolationException",
            "org.springframework.dao.PermissionDeniedDataAccessException",
            "org.springframework.security.core.AuthenticationException",
            "org.springframework.security.access.AccessDeniedException",
            "org.springframework.validation.BindException",
            "org.springframework.validation.method.MethodValidationException",
            "org.springframework.web.bind.MethodArgumentNotValidException",
            "org.springframework.web.bind.support.WebExchangeBindException",
            "org.springframework.web.method.annotation.HandlerMethodValidationException",
            "jakarta.validation.ValidationException");

    private static final Map<String, List<String>> TRANSIENT_IF_SAID = Map.of(
            // Netty's native transports pass on the operating system's own words
            "io.netty.channel.unix.Errors$NativeIoException",
            List.of("Connection reset", "Broken pipe", "Connection timed out", "unreachable"),
            // Jetty's HTTP client reports a connection that ended early by the connection's name
            "java.io.EOFException",
            List.of("HttpConnectionOver"),
            // an exhausted pool of Apache Commons, as under DBCP and Jedis
            "java.util.NoSuchElementException",
            List.of("Timeout waiting for idle object", "Pool exhausted"));

    private static final Set<String> TRANSIENT_OF_GRPC =
            Set.of("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED");
    private static final ReflectiveAccessor GRPC_STATUS = new ReflectiveAccessor("getStatus");
    private static final ReflectiveAccessor GRPC_CODE = new ReflectiveAccessor("getCode");

    private static final ReflectiveAccessor AWS = new ReflectiveAccessor("retryable");
    private static final ReflectiveAccessor AWS_THROTTLING = new ReflectiveAccessor("isThrottlingException");
    private static final ReflectiveAccessor GOOGLE = new ReflectiveAccessor("isRetryable");

    private static final Map<String, Boolean> TRANSACTION =
            Map.of("org.springframework.transaction.TransactionSystemException", true);
    private static final ReflectiveAccessor OF_METHOD = new ReflectiveAccessor("getApplicationException");

    private static final Map<String, FaultClassifier> KNOWN = new HashMap<>();

    static {
        TRANSIENT.forEach(name -> KNOWN.put(name, failure -> Fault.TRANSIENT));
        PERMANENT.forEach(name -> KNOWN.put(name, failure -> Fault.PERMANENT));
        // not the user's fault but that of the system that knows the users: its causes tell more
        KNOWN.put(
                "org.springframework.security.authentication.AuthenticationServiceException", failure -> Fault.UNKNOWN);
        KNOWN.put("io.grpc.StatusException", LibraryFaults::ofGrpc);
        KNOWN.put("io.grpc.StatusRuntimeException", LibraryFaults::ofGrpc);
        KNOWN.put(
                "software.amazon.awssdk.core.exception.SdkException", failure -> ofCloud(failure, AWS, AWS_THROTTLING));
        KNOWN.put("com.google.api.gax.rpc.ApiException", failure -> ofCloud(failure, GOOGLE));
        KNOWN.put("com.google.cloud.BaseServiceException", failure -> ofCloud(failure, GOOGLE));
        TRANSIENT_IF_SAID.forEach((name, phrases) -> KNOWN.put(name, failure -> ofMessage(failure, phrases)));
    }

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

    private LibraryFaults() {}

    /** Whether a call that failed of this may succeed later, as a {@link FaultClassifier}. */
    public static Fault classify(Throwable failure) {
        FaultClassifier judge = closest(KNOWN, failure);
        return judge == null ? Fault.UNKNOWN : judge.classify(failure);
    }

    /** The value for the object's class, or for the closest class above it that has one; {@code null} for none. */
    static <V> @Nullable V closest(Map<String, V> values, Object object) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            V value = values.get(type.getName());
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /**
     * What is known of Spring's {@code TransactionSystemException}. It stands for a commit or a rollback that failed, and
     * hides what happened before: the exception of the method, or that of a commit, whose connection was lost and so cannot be
     * rolled back either.
     *
     * @param others how the exception of the method is judged
     */
    public static Fault ofTransactions(FaultClassification others, Throwable failure) {
        if (closest(TRANSACTION, failure) == null) {
            return Fault.UNKNOWN;
        }
        if (OF_METHOD.of(failure) instanceof Throwable ofMethod) {
            return others.classify(ofMethod, FaultClassification.TRANSIENT_STATUSES);
        }
        return failure.getCause() instanceof SQLException sql && isOfClosedConnection(sql)
                ? Fault.TRANSIENT
                : Fault.UNKNOWN;
    }

    /** Pools close a connection that was lost, and say no more, without an SQLSTATE. */
    private static boolean isOfClosedConnection(SQLException failure) {
        return failure.getMessage() != null
                && failure.getMessage().toLowerCase(Locale.ROOT).contains("closed");
    }

    private static Fault ofGrpc(Throwable failure) {
        Object code = GRPC_CODE.of(GRPC_STATUS.of(failure));
        if (code == null) {
            return Fault.UNKNOWN;
        }
        return TRANSIENT_OF_GRPC.contains(code.toString()) ? Fault.TRANSIENT : Fault.PERMANENT;
    }

    /**
     * An exception of a cloud SDK that says that it is not retryable says it of the SDK's own retries, which have ended by
     * now or were never allowed: then its status and its causes decide.
     */
    private static Fault ofCloud(Throwable failure, ReflectiveAccessor... isRetryable) {
        for (ReflectiveAccessor says : isRetryable) {
            if (Boolean.TRUE.equals(says.of(failure))) {
                return Fault.TRANSIENT;
            }
        }
        return Fault.UNKNOWN;
    }

    /** What an exception says where its class is one for many things. */
    private static Fault ofMessage(Throwable failure, List<String> phrases) {
        String message = String.valueOf(failure.getMessage());
        return phrases.stream().anyMatch(message::contains) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /** The answer in an exception of another client, as a {@link HttpFailure.Reader}. */
    public static @Nullable HttpFailure read(Throwable failure) {
        Answer answer = closest(ANSWERS, failure);
        return answer == null ? null : answer.in(failure);
    }

    /** The answer in an exception of {@code RestClient} and {@code RestTemplate}. */
    public static @Nullable HttpFailure ofRestClient(Throwable failure) {
        if (failure instanceof RestClientResponseException answer) {
            HttpHeaders headers = answer.getResponseHeaders();
            String retryAfter = headers == null ? null : headers.getFirst(HttpHeaders.RETRY_AFTER);
            return new HttpFailure(answer.getStatusCode().value(), retryAfter);
        }
        return null;
    }

    /** The answer in an exception of {@code WebClient}. */
    public static @Nullable HttpFailure ofWebClient(Throwable failure) {
        if (failure instanceof WebClientResponseException answer) {
            String retryAfter = answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
            return new HttpFailure(answer.getStatusCode().value(), retryAfter);
        }
        return null;
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
