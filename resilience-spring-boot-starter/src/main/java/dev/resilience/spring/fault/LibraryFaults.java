package dev.resilience.spring.fault;

import static java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME;
import static java.util.Objects.requireNonNullElse;
import static org.springframework.http.HttpHeaders.RETRY_AFTER;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.HttpFailure;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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

    /**
     * By package. Among them: what JPA and Hibernate throw untranslated where the application calls them itself; a status that
     * a route of Spring Cloud Gateway lists as a failure; Kotlin's {@code withTimeout} inside the method; the AWS SDK's own time
     * limits, which end a call without a cause.
     */
    private static final String TRANSIENT = """
            org.springframework.dao TransientDataAccessException RecoverableDataAccessException
            org.springframework.transaction TransactionTimedOutException
            org.springframework.amqp AmqpConnectException AmqpTimeoutException
            org.springframework.cloud.gateway.filter.factory \
            SpringCloudCircuitBreakerFilterFactory$CircuitBreakerStatusCodeException
            org.springframework.cloud.gateway.server.mvc.filter \
            CircuitBreakerFilterFunctions$CircuitBreakerStatusCodeException
            jakarta.persistence OptimisticLockException PessimisticLockException LockTimeoutException
            jakarta.persistence QueryTimeoutException
            org.hibernate StaleStateException PessimisticLockException QueryTimeoutException
            org.hibernate.dialect.lock LockingStrategyException
            org.hibernate.exception LockAcquisitionException
            com.mongodb MongoSocketException MongoTimeoutException MongoExecutionTimeoutException
            com.mongodb MongoConnectionPoolClearedException MongoNodeIsRecoveringException MongoNotPrimaryException
            com.mongodb MongoServerUnavailableException
            io.lettuce.core RedisCommandTimeoutException RedisBusyException RedisLoadingException
            redis.clients.jedis.exceptions JedisConnectionException JedisBusyException
            io.r2dbc.spi R2dbcTransientException
            org.apache.kafka.common.errors RetriableException
            jakarta.jms ResourceAllocationException ResourceAllocationRuntimeException
            jakarta.jms TransactionRolledBackException TransactionRolledBackRuntimeException
            org.apache.activemq.artemis.api.core ActiveMQNotConnectedException ActiveMQUnBlockedException
            org.apache.activemq.artemis.api.core ActiveMQConnectionTimedOutException ActiveMQDisconnectedException
            com.datastax.oss.driver.api.core AllNodesFailedException DriverTimeoutException
            com.datastax.oss.driver.api.core.servererrors UnavailableException OverloadedException
            com.datastax.oss.driver.api.core.servererrors ReadTimeoutException WriteTimeoutException
            org.neo4j.driver.exceptions TransientException ServiceUnavailableException SessionExpiredException
            org.apache.tomcat.jdbc.pool PoolExhaustedException
            javax.naming InsufficientResourcesException ServiceUnavailableException TimeLimitExceededException
            io.netty.handler.timeout TimeoutException
            io.netty.handler.codec PrematureChannelClosureException
            reactor.netty.channel AbortedException
            reactor.netty.http.client PrematureCloseException
            reactor.pool PoolAcquirePendingLimitException
            reactor.netty.internal.shaded.reactor.pool PoolAcquirePendingLimitException
            org.apache.hc.core5.http ConnectionClosedException NoHttpResponseException TruncatedChunkException
            org.apache.hc.core5.http ConnectionRequestTimeoutException HttpStreamResetException
            org.apache.http ConnectionClosedException NoHttpResponseException TruncatedChunkException
            org.apache.http.conn ConnectTimeoutException
            okhttp3.internal.http2 ConnectionShutdownException StreamResetException
            org.eclipse.jetty.io EofException
            kotlinx.coroutines TimeoutCancellationException
            software.amazon.awssdk.core.exception ApiCallAttemptTimeoutException ApiCallTimeoutException
            """;

    private static final String PERMANENT = """
            org.springframework.dao DataIntegrityViolationException PermissionDeniedDataAccessException
            org.springframework.security.core AuthenticationException
            org.springframework.security.access AccessDeniedException
            org.springframework.validation BindException
            org.springframework.validation.method MethodValidationException
            org.springframework.web.bind MethodArgumentNotValidException
            org.springframework.web.bind.support WebExchangeBindException
            org.springframework.web.method.annotation HandlerMethodValidationException
            org.springframework.amqp AmqpAuthenticationException
            org.springframework.mail MailAuthenticationException
            jakarta.validation ValidationException
            jakarta.mail AuthenticationFailedException
            io.r2dbc.spi R2dbcDataIntegrityViolationException R2dbcPermissionDeniedException
            com.mongodb DuplicateKeyException
            javax.naming NamingSecurityException
            com.rabbitmq.client PossibleAuthenticationFailureException
            jakarta.jms JMSSecurityException JMSSecurityRuntimeException
            org.neo4j.driver.exceptions AuthenticationException
            org.apache.kafka.common.errors AuthenticationException AuthorizationException
            """;

    /**
     * By what the message says: the operating system's own words, which Netty's native transports pass on; a connection that
     * ended early, as Jetty's client names it; the JDK's HTTP client and OkHttp; an exhausted pool of Apache Commons, as under
     * DBCP and Jedis; the JDK's LDAP client; a mail server that is busy or closes the connection before a mail is sent; Lettuce; a
     * channel of RabbitMQ that was closed with its connection, and not because of what was asked of it.
     */
    private static final String TRANSIENT_IF_SAID = """
            io.netty.channel.unix.Errors$NativeIoException Connection reset|Broken pipe|Connection timed out|unreachable
            java.io.EOFException HttpConnectionOver
            org.eclipse.jetty.client.HttpResponseException Early EOF
            java.io.IOException GOAWAY received|unexpected end of stream
            java.util.NoSuchElementException Timeout waiting for idle object|Pool exhausted
            javax.naming.NamingException LDAP response read timed out|LDAP connection has been closed
            jakarta.mail.MessagingException (^|response: )(4\\d\\d|\\[EOF])
            io.lettuce.core.RedisException Connection closed|Currently not connected
            com.rabbitmq.client.ShutdownSignalException connection error|connection shutdown
            """;

    private static final Set<String> TRANSIENT_OF_GRPC =
            Set.of("UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "ABORTED");
    private static final ReflectiveAccessor GRPC_STATUS = new ReflectiveAccessor("getStatus");
    private static final ReflectiveAccessor GRPC_CODE = new ReflectiveAccessor("getCode");

    /** Of R2DBC. */
    private static final ReflectiveAccessor SQL_STATE = new ReflectiveAccessor("getSqlState");

    /** Of SMTP, whose 4xx are transient and whose 5xx permanent (RFC 5321, section 4.2.1). */
    private static final ReflectiveAccessor RETURN_CODE = new ReflectiveAccessor("getReturnCode");

    private static final ReflectiveAccessor DELIVERED = new ReflectiveAccessor("getValidSentAddresses");

    private static final ReflectiveAccessor OF_METHOD = new ReflectiveAccessor("getApplicationException");
    private static final Map<String, ReflectiveAccessor> HIDING = Map.of(
            "org.springframework.transaction.TransactionSystemException",
            OF_METHOD,
            "org.springframework.mail.MailSendException",
            new ReflectiveAccessor("getMessageExceptions"));

    private static final Map<String, FaultClassifier> KNOWN = new HashMap<>();

    static {
        know(TRANSIENT, Fault.TRANSIENT);
        know(PERMANENT, Fault.PERMANENT);
        // not the user's fault but that of the system that knows the users: its causes tell more
        KNOWN.put(
                "org.springframework.security.authentication.AuthenticationServiceException", failure -> Fault.UNKNOWN);
        KNOWN.put("com.mongodb.MongoSecurityException", LibraryFaults::ofMongoAuthentication);
        KNOWN.put("io.grpc.StatusException", LibraryFaults::ofGrpc);
        KNOWN.put("io.grpc.StatusRuntimeException", LibraryFaults::ofGrpc);
        FaultClassifier ofGoogle = transientIf(new ReflectiveAccessor("isRetryable"));
        KNOWN.put("com.google.api.gax.rpc.ApiException", ofGoogle);
        KNOWN.put("com.google.cloud.BaseServiceException", ofGoogle);
        KNOWN.put(
                "software.amazon.awssdk.core.exception.SdkException",
                transientIf(new ReflectiveAccessor("retryable"), new ReflectiveAccessor("isThrottlingException")));
        KNOWN.put(
                "com.mongodb.MongoException",
                transientIf(new ReflectiveAccessor("hasErrorLabel", "TransientTransactionError")));
        KNOWN.put("io.r2dbc.spi.R2dbcException", LibraryFaults::ofR2dbc);
        KNOWN.put("jakarta.mail.SendFailedException", LibraryFaults::ofMail);
        TRANSIENT_IF_SAID.lines().map(line -> line.split(" ", 2)).forEach(words -> {
            Pattern phrases = Pattern.compile(words[1]);
            KNOWN.put(words[0], failure -> ofMessage(failure, phrases));
        });
    }

    /**
     * Where an exception has the status, and the ways to a header, getter by getter; one with a star gets the header's name.
     * What Google's SDKs throw has the exception of its JSON transport as the cause. Jetty throws its one in place of a 401 that
     * names no way to authenticate. Of an answer with the hint Feign makes a {@code RetryableException}, whose cause has the
     * headers.
     */
    private static final String ANSWERS_AT = """
            software.amazon.awssdk.core.exception.SdkServiceException statusCode
            com.google.api.client.http.HttpResponseException getStatusCode getHeaders.getRetryAfter
            com.azure.core.exception.HttpResponseException getResponse.getStatusCode getResponse.getHeaderValue*
            org.eclipse.jetty.client.HttpResponseException getResponse.getStatus getResponse.getHeaders.get*
            feign.FeignException status responseHeaders getCause.responseHeaders retryAfter
            org.apache.hc.client5.http.HttpResponseException getStatusCode
            retrofit2.HttpException code response.headers.get*
            jakarta.ws.rs.WebApplicationException getResponse.getStatus getResponse.getHeaderString*
            co.elastic.clients.elasticsearch._types.ElasticsearchException status
            """;

    private static final Map<String, Answer> ANSWERS =
            ANSWERS_AT.lines().map(line -> line.split(" ")).collect(Collectors.toMap(words -> words[0], Answer::at));

    private LibraryFaults() {}

    private static void know(String names, Fault fault) {
        names.lines().map(line -> line.split(" ")).forEach(words -> {
            for (int i = 1; i < words.length; i++) {
                KNOWN.put(words[0] + '.' + words[i], failure -> fault);
            }
        });
    }

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
     * What is known of Spring's exceptions that hide another one: {@code TransactionSystemException}, which stands for a commit
     * or a rollback that failed, hides what happened before: the exception of the method, or that of a commit, whose connection
     * was lost and so cannot be rolled back either. {@code MailSendException} hides why a mail was not sent.
     *
     * @param others how the hidden exception is judged
     */
    public static Fault ofTransactions(FaultClassification others, Throwable failure) {
        ReflectiveAccessor hiding = closest(HIDING, failure);
        Object hidden = hiding == null ? null : hiding.of(failure);
        if (hidden instanceof Object[] all && all.length == 1) { // of several mails some may have been sent
            hidden = all[0];
        }
        if (hidden instanceof Throwable known) {
            return others.classify(known, FaultClassification.TRANSIENT_STATUSES);
        }
        return hiding == OF_METHOD && failure.getCause() instanceof SQLException sql && isOfClosedConnection(sql)
                ? Fault.TRANSIENT
                : Fault.UNKNOWN;
    }

    /** Pools close a connection that was lost, and say no more, without an SQLSTATE. */
    private static boolean isOfClosedConnection(SQLException failure) {
        return failure.getMessage() != null
                && failure.getMessage().toLowerCase(Locale.ROOT).contains("closed");
    }

    /** The driver wraps whatever happens while it logs in: a connection that is lost then is left to the cause. */
    private static Fault ofMongoAuthentication(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause != null && classify(cause) == Fault.TRANSIENT ? Fault.UNKNOWN : Fault.PERMANENT;
    }

    /** By the SQLSTATE, as in JDBC. */
    private static Fault ofR2dbc(Throwable failure) {
        SQLException asOfJdbc =
                new SQLException(failure.getMessage(), (String) SQL_STATE.of(failure), failure.getCause());
        return FaultClassification.ofJdk().classify(asOfJdbc, FaultClassification.TRANSIENT_STATUSES);
    }

    /** Another attempt would send it again to those who have got it. */
    private static Fault ofMail(Throwable failure) {
        if (DELIVERED.of(failure) instanceof Object[] delivered && delivered.length > 0) {
            return Fault.PERMANENT;
        }
        int code = RETURN_CODE.of(failure) instanceof Integer given ? given : 0;
        return code >= 500 ? Fault.PERMANENT : code >= 400 ? Fault.TRANSIENT : Fault.UNKNOWN;
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
    private static FaultClassifier transientIf(ReflectiveAccessor... says) {
        return failure -> Arrays.stream(says).anyMatch(getter -> Boolean.TRUE.equals(getter.of(failure)))
                ? Fault.TRANSIENT
                : Fault.UNKNOWN;
    }

    /** What an exception says where its class is one for many things. */
    private static Fault ofMessage(Throwable failure, Pattern phrases) {
        return phrases.matcher(String.valueOf(failure.getMessage())).find() ? Fault.TRANSIENT : Fault.UNKNOWN;
    }

    /** The answer in an exception of another client, as a {@link HttpFailure.Reader}. */
    public static @Nullable HttpFailure read(Throwable failure) {
        Answer answer = closest(ANSWERS, failure);
        return answer == null ? null : answer.in(failure);
    }

    /** The answer in an exception of {@code RestClient} and {@code RestTemplate}. */
    public static @Nullable HttpFailure ofRestClient(Throwable failure) {
        return failure instanceof RestClientResponseException answer
                ? failure(
                        answer.getStatusCode().value(),
                        requireNonNullElse(answer.getResponseHeaders(), HttpHeaders.EMPTY)::getFirst)
                : null;
    }

    /** The answer in an exception of {@code WebClient}. */
    public static @Nullable HttpFailure ofWebClient(Throwable failure) {
        return failure instanceof WebClientResponseException answer
                ? failure(answer.getStatusCode().value(), answer.getHeaders()::getFirst)
                : null;
    }

    private static HttpFailure failure(int status, Function<String, @Nullable String> header) {
        return new HttpFailure(status, header.apply(RETRY_AFTER), header.apply(HttpFailure.RETRY_HEADER));
    }

    /** Where an exception has an answer. Of several ways to a header the first that finds one counts. */
    private record Answer(List<ReflectiveAccessor> status, List<List<ReflectiveAccessor>> headers) {

        /** @param words a line of {@link #ANSWERS_AT} */
        static Answer at(String... words) {
            List<List<ReflectiveAccessor>> paths =
                    Arrays.stream(words).skip(1).map(Answer::path).toList();
            return new Answer(paths.get(0), paths.subList(1, paths.size()));
        }

        private static List<ReflectiveAccessor> path(String getters) {
            return Arrays.stream(getters.split("\\."))
                    .map(getter -> getter.endsWith("*")
                            ? new ReflectiveAccessor(getter.substring(0, getter.length() - 1), RETRY_AFTER)
                            : new ReflectiveAccessor(getter))
                    .toList();
        }

        @Nullable
        HttpFailure in(Throwable failure) {
            // clients use 0 or less for "there was no answer"
            return follow(status, failure, "") instanceof Integer code && code > 0
                    ? failure(code, name -> header(name, failure))
                    : null;
        }

        private @Nullable String header(String name, Throwable failure) {
            for (List<ReflectiveAccessor> path : headers) {
                Object found = follow(path, failure, name);
                if (found instanceof Map<?, ?> all && all.get(name) instanceof Collection<?> values) {
                    found = values.isEmpty() ? null : values.iterator().next();
                }
                if (found instanceof Long date && name.equals(RETRY_AFTER)) {
                    return RFC_1123_DATE_TIME.format(Instant.ofEpochMilli(date).atOffset(ZoneOffset.UTC));
                }
                if (found instanceof String value) {
                    return value;
                }
            }
            return null;
        }

        private static @Nullable Object follow(List<ReflectiveAccessor> path, Throwable failure, String header) {
            Object found = failure;
            for (ReflectiveAccessor getter : path) {
                found = getter.of(found, header);
            }
            return found;
        }
    }
}
