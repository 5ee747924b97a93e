package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.netty.handler.codec.PrematureChannelClosureException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.naming.CommunicationException;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.ServiceUnavailableException;
import javax.naming.TimeLimitExceededException;
import org.apache.hc.client5.http.HttpResponseException;
import org.apache.hc.core5.http.HttpStreamResetException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.mail.MailAuthenticationException;
import org.springframework.mail.MailSendException;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * What is known of further clients that Spring applications use, as docs/faults.md has it. A class of a library that is not on
 * the class path is stood in for by one of its name, with the methods that are asked.
 */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
class FurtherClientsFaultsTests {

    private static final String MONGO = "com.mongodb.Mongo";
    private static final String KAFKA = "org.apache.kafka.common.errors.";
    private static final String R2DBC = "io.r2dbc.spi.R2dbc";
    private static final String AMQP = "org.springframework.amqp.Amqp";
    private static final String JMS = "jakarta.jms.";
    private static final String ARTEMIS = "org.apache.activemq.artemis.api.core.ActiveMQ";
    private static final String CASSANDRA = "com.datastax.oss.driver.api.core.";
    private static final String NEO4J = "org.neo4j.driver.exceptions.";
    private static final String MAIL = "org.eclipse.angus.mail.smtp.SMTPSendFailedException";

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    static Stream<Arguments> exceptions() {
        return Stream.of(
                argumentSet("Feign, unavailable", TRANSIENT, feign(503)),
                argumentSet("Feign, throttled", TRANSIENT, feign(429)),
                argumentSet("Feign, no such thing", PERMANENT, feign(404)),
                argumentSet("Feign, internal error", UNKNOWN, feign(500)),
                argumentSet("Feign, refused", TRANSIENT, feign(-1).causedBy(new ConnectException("refused"))),
                argumentSet(
                        "Feign, lost in the middle of the answer",
                        TRANSIENT,
                        feign(200).causedBy(new IOException("Connection reset"))),
                argumentSet("Feign, retryable of its decoder", TRANSIENT, retryable(503)),
                argumentSet("HttpClient 5, unavailable", TRANSIENT, new HttpResponseException(503, "no")),
                argumentSet("HttpClient 5, no such thing", PERMANENT, new HttpResponseException(404, "no")),
                argumentSet("HttpClient 5, stream reset", TRANSIENT, new HttpStreamResetException("reset")),
                argumentSet(
                        "OkHttp, stream reset", TRANSIENT, StandIn.of("okhttp3.internal.http2.StreamResetException")),
                argumentSet(
                        "OkHttp, connection shut down",
                        TRANSIENT,
                        StandIn.of("okhttp3.internal.http2.ConnectionShutdownException")),
                argumentSet(
                        "OkHttp, closed before the answer",
                        TRANSIENT,
                        new IOException("unexpected end of stream on http://localhost/...")),
                argumentSet(
                        "OkHttp, closed in the answer", TRANSIENT, new ProtocolException("unexpected end of stream")),
                argumentSet("OkHttp, cancelled", UNKNOWN, new IOException("Canceled")),
                argumentSet(
                        "Retrofit, unavailable",
                        TRANSIENT,
                        StandIn.of("retrofit2.HttpException").with("code", 503)),
                argumentSet("JDK, HTTP/2 goes away", TRANSIENT, new IOException("/[::1]:80: GOAWAY received")),
                argumentSet(
                        "JAX-RS, unavailable",
                        TRANSIENT,
                        StandIn.of("jakarta.ws.rs.WebApplicationException")
                                .with("getResponse", new JaxRsAnswer(503, null))),
                argumentSet("Netty, closed before the answer", TRANSIENT, new PrematureChannelClosureException("gone")),
                argumentSet(
                        "Elasticsearch, throttled",
                        TRANSIENT,
                        StandIn.of("co.elastic.clients.elasticsearch._types.ElasticsearchException")
                                .with("status", 429)),
                argumentSet(
                        "MongoDB, socket",
                        TRANSIENT,
                        StandIn.of(MONGO + "SocketReadException").below(MONGO + "SocketException")),
                argumentSet("MongoDB, no server", TRANSIENT, StandIn.of(MONGO + "TimeoutException")),
                argumentSet("MongoDB, pool cleared", TRANSIENT, StandIn.of(MONGO + "ConnectionPoolClearedException")),
                argumentSet("MongoDB, too slow", TRANSIENT, StandIn.of(MONGO + "ExecutionTimeoutException")),
                argumentSet("MongoDB, election", TRANSIENT, StandIn.of(MONGO + "NotPrimaryException")),
                argumentSet("MongoDB, recovering", TRANSIENT, StandIn.of(MONGO + "NodeIsRecoveringException")),
                argumentSet(
                        "MongoDB, conflict in a transaction",
                        TRANSIENT,
                        StandIn.of(MONGO + "WriteConcernException")
                                .below(MONGO + "Exception")
                                .on(LabelledException.class)),
                argumentSet("MongoDB, without a label", UNKNOWN, StandIn.of(MONGO + "Exception")),
                argumentSet("MongoDB, server gone", TRANSIENT, StandIn.of(MONGO + "ServerUnavailableException")),
                argumentSet("MongoDB, wrong password", PERMANENT, mongoLogin(StandIn.of(MONGO + "CommandException"))),
                argumentSet(
                        "MongoDB, connection lost while logging in",
                        TRANSIENT,
                        mongoLogin(StandIn.of(MONGO + "SocketReadException").below(MONGO + "SocketException"))),
                argumentSet("MongoDB, twice", PERMANENT, StandIn.of("com.mongodb.DuplicateKeyException")),
                argumentSet(
                        "Kafka, broker",
                        TRANSIENT,
                        StandIn.of(KAFKA + "DisconnectException").below(KAFKA + "RetriableException")),
                argumentSet("Kafka, not allowed", PERMANENT, StandIn.of(KAFKA + "AuthorizationException")),
                argumentSet("Kafka, not authenticated", PERMANENT, StandIn.of(KAFKA + "AuthenticationException")),
                argumentSet("Kafka, too large", UNKNOWN, StandIn.of(KAFKA + "RecordTooLargeException")),
                argumentSet(
                        "R2DBC, transient",
                        TRANSIENT,
                        StandIn.of(R2DBC + "TimeoutException").below(R2DBC + "TransientException")),
                argumentSet("R2DBC, connection lost", TRANSIENT, r2dbc("57P01")),
                argumentSet("R2DBC, deadlock", TRANSIENT, r2dbc("40P01")),
                argumentSet("R2DBC, constraint", PERMANENT, r2dbc("23505")),
                argumentSet("R2DBC, syntax", UNKNOWN, r2dbc("42601")),
                argumentSet("R2DBC, without a state", UNKNOWN, r2dbc(null)),
                argumentSet(
                        "R2DBC, constraint by its class",
                        PERMANENT,
                        StandIn.of(R2DBC + "DataIntegrityViolationException")),
                argumentSet("R2DBC, not allowed", PERMANENT, StandIn.of(R2DBC + "PermissionDeniedException")),
                argumentSet("Lettuce, too slow", TRANSIENT, new RedisCommandTimeoutException("slow")),
                argumentSet("Lettuce, starting", TRANSIENT, new RedisLoadingException("LOADING")),
                argumentSet(
                        "Lettuce, connection lost",
                        TRANSIENT,
                        new RedisSystemException("Redis exception", new RedisException("Connection closed"))),
                argumentSet("Lettuce, wrong password", UNKNOWN, new RedisConnectionException("WRONGPASS")),
                argumentSet(
                        "Jedis, connection lost",
                        TRANSIENT,
                        new RedisConnectionFailureException("no", new JedisConnectionException("Unexpected end"))),
                argumentSet("Jedis, bad command", UNKNOWN, new JedisDataException("ERR")),
                argumentSet("RabbitMQ, no connection", TRANSIENT, StandIn.of(AMQP + "ConnectException")),
                argumentSet("RabbitMQ, too slow", TRANSIENT, StandIn.of(AMQP + "TimeoutException")),
                argumentSet("RabbitMQ, not authenticated", PERMANENT, StandIn.of(AMQP + "AuthenticationException")),
                argumentSet(
                        "RabbitMQ's client, not authenticated",
                        PERMANENT,
                        StandIn.of("com.rabbitmq.client.PossibleAuthenticationFailureException")),
                argumentSet(
                        "RabbitMQ's client, connection lost", TRANSIENT, shutDown("connection error; protocol method")),
                argumentSet("RabbitMQ's client, no such exchange", UNKNOWN, shutDown("channel error; protocol method")),
                argumentSet("JMS, no room", TRANSIENT, StandIn.of(JMS + "ResourceAllocationException")),
                argumentSet("JMS, rolled back", TRANSIENT, StandIn.of(JMS + "TransactionRolledBackException")),
                argumentSet("JMS, not allowed", PERMANENT, StandIn.of(JMS + "JMSSecurityException")),
                argumentSet("JMS, no such queue", UNKNOWN, StandIn.of(JMS + "InvalidDestinationException")),
                argumentSet(
                        "JMS, refused",
                        TRANSIENT,
                        StandIn.of("org.springframework.jms.UncategorizedJmsException")
                                .causedBy(StandIn.of(JMS + "JMSException")
                                        .causedBy(new ConnectException("refused"))
                                        .made())),
                argumentSet(
                        "Artemis, no connection",
                        TRANSIENT,
                        StandIn.of(JMS + "JMSException")
                                .causedBy(StandIn.of(ARTEMIS + "NotConnectedException")
                                        .made())),
                argumentSet("Cassandra, no node", TRANSIENT, StandIn.of(CASSANDRA + "AllNodesFailedException")),
                argumentSet("Cassandra, too slow", TRANSIENT, StandIn.of(CASSANDRA + "DriverTimeoutException")),
                argumentSet(
                        "Cassandra, no replica",
                        TRANSIENT,
                        StandIn.of(CASSANDRA + "servererrors.UnavailableException")),
                argumentSet(
                        "Cassandra, bad query", UNKNOWN, StandIn.of(CASSANDRA + "servererrors.InvalidQueryException")),
                argumentSet("Neo4j, deadlock", TRANSIENT, StandIn.of(NEO4J + "TransientException")),
                argumentSet("Neo4j, no server", TRANSIENT, StandIn.of(NEO4J + "ServiceUnavailableException")),
                argumentSet("Neo4j, no leader", TRANSIENT, StandIn.of(NEO4J + "SessionExpiredException")),
                argumentSet("Neo4j, not authenticated", PERMANENT, StandIn.of(NEO4J + "AuthenticationException")),
                argumentSet("Neo4j, bad query", UNKNOWN, StandIn.of(NEO4J + "ClientException")),
                argumentSet(
                        "LDAP, too slow",
                        TRANSIENT,
                        new NamingException("LDAP response read timed out, timeout used: 9 ms.")),
                argumentSet("LDAP, closed", TRANSIENT, new NamingException("LDAP connection has been closed")),
                argumentSet("LDAP, unavailable", TRANSIENT, new ServiceUnavailableException("[LDAP: error code 52]")),
                argumentSet("LDAP, time limit", TRANSIENT, new TimeLimitExceededException("[LDAP: error code 3]")),
                argumentSet("LDAP, refused", TRANSIENT, ldap(new ConnectException("refused"))),
                argumentSet("LDAP, no such name", UNKNOWN, new NameNotFoundException("[LDAP: error code 32]")),
                argumentSet("mail, try again", TRANSIENT, mail(451, 0)),
                argumentSet("mail, no such mailbox", PERMANENT, mail(550, 0)),
                argumentSet("mail, sent to some", PERMANENT, mail(451, 1)),
                argumentSet("mail, busy at the greeting", TRANSIENT, greeting("421 4.3.2 too busy")),
                argumentSet("mail, closed before the greeting", TRANSIENT, greeting("[EOF]")),
                argumentSet("mail, refused at the greeting", UNKNOWN, greeting("554 no")),
                argumentSet("mail, closed before a command", TRANSIENT, messaging("[EOF]")),
                argumentSet("mail, busy before a command", TRANSIENT, messaging("421 4.7.0 try again")),
                argumentSet(
                        "Spring's mail, try again",
                        TRANSIENT,
                        new MailSendException(Map.of("one", mail(451, 0).made()))),
                argumentSet(
                        "Spring's mail, one of two",
                        UNKNOWN,
                        new MailSendException(Map.of(
                                "one", mail(451, 0).made(), "two", mail(451, 0).made()))),
                argumentSet(
                        "Spring's mail, refused",
                        TRANSIENT,
                        new MailSendException("Mail server connection failed", new ConnectException("refused"))),
                argumentSet("Spring's mail, not authenticated", PERMANENT, new MailAuthenticationException("no")),
                argumentSet(
                        "mail, not authenticated",
                        PERMANENT,
                        StandIn.of("jakarta.mail.AuthenticationFailedException")));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void sayWhatKindOfFaultTheyAre(Fault fault, Object exception) {
        Exception failure = exception instanceof StandIn standIn ? standIn.made() : (Exception) exception;
        assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(fault);
    }

    @Test
    void feignTellsWhenToComeBack() {
        Exception answer = feign(503)
                .with("responseHeaders", Map.of("Retry-After", List.of("17")))
                .made();
        assertThat(faults.httpFailure(answer)).isEqualTo(new HttpFailure(503, "17"));
        assertThat(faults.httpFailure(retryable(503).causedBy(answer).made())).isEqualTo(new HttpFailure(503, "17"));
        long date = Instant.parse("2026-01-02T03:04:05Z").toEpochMilli();
        assertThat(faults.httpFailure(retryable(503).with("retryAfter", date).made()))
                .isEqualTo(new HttpFailure(503, "Fri, 2 Jan 2026 03:04:05 GMT"));
        assertThat(faults.httpFailure(feign(503).made())).isEqualTo(new HttpFailure(503, null));
        assertThat(faults.httpFailure(feign(-1).made())).isNull();
    }

    @Test
    void feignTellsThatARetryIsRefused() {
        Exception answer = feign(503)
                .with("responseHeaders", Map.of("X-Resilience-Retry", List.of("No")))
                .made();

        assertThat(faults.httpFailure(answer)).isEqualTo(new HttpFailure(503, null, "No"));
        assertThat(faults.httpFailure(retryable(503).causedBy(answer).made()))
                .isEqualTo(new HttpFailure(503, null, "No"));
    }

    @Test
    void clientsThatGiveAHeaderByItsNameDoToo() {
        assertThat(faults.httpFailure(StandIn.of("jakarta.ws.rs.WebApplicationException")
                        .with("getResponse", new RefusingJaxRsAnswer())
                        .made()))
                .isEqualTo(new HttpFailure(503, null, "no"));
    }

    @Test
    void otherClientsDoToo() {
        assertThat(faults.httpFailure(StandIn.of("jakarta.ws.rs.WebApplicationException")
                        .with("getResponse", new JaxRsAnswer(429, "17"))
                        .made()))
                .isEqualTo(new HttpFailure(429, "17"));
        assertThat(faults.httpFailure(StandIn.of("retrofit2.HttpException")
                        .with("code", 429)
                        .with("response", new RetrofitAnswer(new RetrofitHeaders("17")))
                        .made()))
                .isEqualTo(new HttpFailure(429, "17"));
    }

    private static StandIn feign(int status) {
        return StandIn.of("feign.FeignException").with("status", status).with("responseHeaders", Map.of());
    }

    private static StandIn retryable(int status) {
        return StandIn.of("feign.RetryableException")
                .below("feign.FeignException")
                .with("status", status)
                .with("responseHeaders", Map.of());
    }

    private static StandIn r2dbc(@Nullable String state) {
        StandIn failure = StandIn.of(R2DBC + "NonTransientResourceException").below(R2DBC + "Exception");
        return state == null ? failure : failure.with("getSqlState", state);
    }

    private static StandIn shutDown(String message) {
        return StandIn.of("com.rabbitmq.client.ShutdownSignalException").with("getMessage", message);
    }

    private static StandIn mail(int code, int delivered) {
        return StandIn.of(MAIL)
                .below("jakarta.mail.SendFailedException")
                .with("getReturnCode", code)
                .with("getValidSentAddresses", new Object[delivered]);
    }

    private static StandIn greeting(String answer) {
        return messaging("Got bad greeting from SMTP host: localhost, port: 25, response: " + answer);
    }

    private static StandIn messaging(String message) {
        return StandIn.of("jakarta.mail.MessagingException").with("getMessage", message);
    }

    private static StandIn mongoLogin(StandIn cause) {
        return StandIn.of(MONGO + "SecurityException")
                .below(MONGO + "Exception")
                .causedBy(cause.made());
    }

    private static CommunicationException ldap(Exception cause) {
        CommunicationException failure = new CommunicationException("localhost:389");
        failure.setRootCause(cause);
        return failure;
    }

    /** Of MongoDB's driver. */
    public static class LabelledException extends RuntimeException {

        public boolean hasErrorLabel(String label) {
            return label.equals("TransientTransactionError");
        }
    }

    public record JaxRsAnswer(int status, @Nullable String retryAfter) {

        public int getStatus() {
            return status;
        }

        public @Nullable String getHeaderString(String name) {
            return name.equals("Retry-After") ? retryAfter : null;
        }
    }

    public static final class RefusingJaxRsAnswer {

        public int getStatus() {
            return 503;
        }

        public @Nullable String getHeaderString(String name) {
            return name.equals("X-Resilience-Retry") ? "no" : null;
        }
    }

    public record RetrofitAnswer(RetrofitHeaders headers) {}

    public record RetrofitHeaders(String retryAfter) {

        public @Nullable String get(String name) {
            return name.equals("Retry-After") ? retryAfter : null;
        }
    }
}
