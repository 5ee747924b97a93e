package dev.resilience.spring.fault;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.spring.ReflectiveAccessor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the exceptions of Spring and of the libraries that it works with, by class name: none of them needs
 * to be there. A name stands for its subclasses, unless they have an entry of their own.
 */
public final class LibraryFaults implements FaultClassifier {

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
            // Kotlin: withTimeout inside of the method
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

    private static final Set<String> TRANSIENT_OF_GRPC =
            Set.of("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED");
    private static final ReflectiveAccessor GRPC_STATUS = new ReflectiveAccessor("getStatus");
    private static final ReflectiveAccessor GRPC_CODE = new ReflectiveAccessor("getCode");

    private static final ReflectiveAccessor AWS = new ReflectiveAccessor("retryable");
    private static final ReflectiveAccessor AWS_THROTTLING = new ReflectiveAccessor("isThrottlingException");
    private static final ReflectiveAccessor GOOGLE = new ReflectiveAccessor("isRetryable");

    private static final Map<String, FaultClassifier> KNOWN = new HashMap<>();

    static {
        TRANSIENT.forEach(name -> KNOWN.put(name, failure -> Fault.TRANSIENT));
        PERMANENT.forEach(name -> KNOWN.put(name, failure -> Fault.PERMANENT));
        // not the user's fault but that of the system that knows the users: its causes tell more
        KNOWN.put(
                "org.springframework.security.authentication.AuthenticationServiceException", failure -> Fault.UNKNOWN);
        KNOWN.put("io.grpc.StatusException", LibraryFaults::ofGrpc);
        KNOWN.put("io.grpc.StatusRuntimeException", LibraryFaults::ofGrpc);
        KNOWN.put("software.amazon.awssdk.core.exception.SdkException", LibraryFaults::ofAws);
        KNOWN.put("com.google.api.gax.rpc.ApiException", LibraryFaults::ofGoogle);
        KNOWN.put("com.google.cloud.BaseServiceException", LibraryFaults::ofGoogle);
        KNOWN.put("io.netty.channel.unix.Errors$NativeIoException", LibraryFaults::ofNativeSocket);
        KNOWN.put("java.io.EOFException", LibraryFaults::ofEndOfFile);
        KNOWN.put("java.util.NoSuchElementException", LibraryFaults::ofMissingElement);
    }

    @Override
    public Fault classify(Throwable failure) {
        FaultClassifier judge = ClassNames.closest(KNOWN, failure);
        return judge == null ? Fault.UNKNOWN : judge.classify(failure);
    }

    private static Fault ofGrpc(Throwable failure) {
        Object code = GRPC_CODE.of(GRPC_STATUS.of(failure));
        if (code == null) {
            return Fault.UNKNOWN;
        }
        return TRANSIENT_OF_GRPC.contains(code.toString()) ? Fault.TRANSIENT : Fault.PERMANENT;
    }

    private static Fault ofAws(Throwable failure) {
        return ofCloud(AWS.of(failure)) == Fault.TRANSIENT ? Fault.TRANSIENT : ofCloud(AWS_THROTTLING.of(failure));
    }

    private static Fault ofGoogle(Throwable failure) {
        return ofCloud(GOOGLE.of(failure));
    }

    /**
     * An exception of a cloud SDK that says that it is not retryable says it of the SDK's own retries, which have ended by
     * now or were never allowed: then its status and its causes decide.
     */
    private static Fault ofCloud(@Nullable Object isRetryable) {
        return Boolean.TRUE.equals(isRetryable) ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /** What Netty's native transports pass on of the operating system's own words. */
    private static Fault ofNativeSocket(Throwable failure) {
        boolean lost = says(failure, "Connection reset")
                || says(failure, "Broken pipe")
                || says(failure, "Connection timed out")
                || says(failure, "unreachable");
        return lost ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /** Jetty's HTTP client tells of a connection that ended early by the JDK's exception and the connection's name. */
    private static Fault ofEndOfFile(Throwable failure) {
        return says(failure, "HttpConnectionOver") ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /** An exhausted pool of Apache Commons, as under DBCP and Jedis. */
    private static Fault ofMissingElement(Throwable failure) {
        return says(failure, "Timeout waiting for idle object") || says(failure, "Pool exhausted")
                ? Fault.TRANSIENT
                : Fault.UNKNOWN;
    }

    private static boolean says(Throwable failure, String phrase) {
        return failure.getMessage() != null && failure.getMessage().contains(phrase);
    }
}
