package dev.resilience.spring.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import jakarta.persistence.LockTimeoutException;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.PessimisticLockException;
import jakarta.persistence.RollbackException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.stream.Stream;
import org.hibernate.StaleObjectStateException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** What the application's classifier, made of everything on the class path, says of Spring's exceptions. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
class SpringFaultsTests {

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    static Stream<Arguments> exceptions() {
        return Stream.of(
                arguments(Fault.TRANSIENT, new TransientDataAccessResourceException("gone")),
                arguments(Fault.TRANSIENT, new QueryTimeoutException("slow")),
                arguments(Fault.TRANSIENT, new CannotAcquireLockException("locked")),
                arguments(Fault.TRANSIENT, new PessimisticLockingFailureException("locked")),
                arguments(Fault.TRANSIENT, new OptimisticLockingFailureException("changed")),
                arguments(Fault.TRANSIENT, new RecoverableDataAccessException("reconnect")),
                arguments(
                        Fault.TRANSIENT,
                        new CannotGetJdbcConnectionException(
                                "no", new SQLTransientConnectionException("pool is empty"))),
                arguments(
                        Fault.TRANSIENT,
                        new CannotCreateTransactionException(
                                "no", new SQLTransientConnectionException("pool is empty"))),
                arguments(Fault.TRANSIENT, new ResourceAccessException("no", new ConnectException("refused"))),
                arguments(
                        Fault.TRANSIENT,
                        new WebClientRequestException(
                                new ConnectException("refused"),
                                HttpMethod.GET,
                                URI.create("http://localhost"),
                                HttpHeaders.EMPTY)),
                arguments(
                        Fault.TRANSIENT,
                        new DataAccessResourceFailureException("gone", new SQLException("ended", "57P01"))),
                arguments(
                        Fault.TRANSIENT,
                        new UncategorizedSQLException("insert", "insert", new SQLException("lock", "55P03"))),
                arguments(Fault.TRANSIENT, new TransactionTimedOutException("late")),
                arguments(
                        Fault.TRANSIENT,
                        new TransactionSystemException("no commit", new SQLException("serialization", "40001"))),
                arguments(
                        Fault.TRANSIENT,
                        new AuthenticationServiceException("directory", new ConnectException("refused"))),
                arguments(
                        Fault.UNKNOWN,
                        new BadSqlGrammarException("select", "selct", new SQLException("syntax", "42601"))),
                arguments(
                        Fault.PERMANENT,
                        new UncategorizedSQLException("insert", "insert", new SQLException("twice", "23505"))),
                arguments(Fault.UNKNOWN, new AuthenticationServiceException("directory")),
                arguments(Fault.UNKNOWN, new UncategorizedSQLException("insert", "insert", new SQLException("?"))),
                arguments(Fault.UNKNOWN, new ResourceAccessException("no", new IOException("?"))),
                arguments(Fault.TRANSIENT, new OptimisticLockException("changed")),
                arguments(Fault.TRANSIENT, new RollbackException("no commit", new OptimisticLockException("changed"))),
                arguments(Fault.TRANSIENT, new PessimisticLockException("locked")),
                arguments(Fault.TRANSIENT, new LockTimeoutException("locked")),
                arguments(Fault.TRANSIENT, new StaleObjectStateException("Order", 1)),
                arguments(
                        Fault.TRANSIENT,
                        new org.hibernate.PessimisticLockException("locked", new SQLException("?"), "select")),
                arguments(
                        Fault.TRANSIENT,
                        new org.hibernate.exception.LockTimeoutException("locked", new SQLException("?"), "select")),
                arguments(Fault.UNKNOWN, new PersistenceException("?")),
                arguments(Fault.PERMANENT, new DataIntegrityViolationException("constraint")),
                arguments(Fault.PERMANENT, new DuplicateKeyException("twice")),
                arguments(Fault.PERMANENT, new PermissionDeniedDataAccessException("no", new Exception("no"))),
                arguments(Fault.PERMANENT, new AccessDeniedException("no")),
                arguments(Fault.PERMANENT, new BadCredentialsException("no")),
                arguments(
                        Fault.PERMANENT,
                        HttpClientErrorException.create(
                                HttpStatus.NOT_FOUND, "", HttpHeaders.EMPTY, new byte[0], StandardCharsets.UTF_8)),
                arguments(Fault.UNKNOWN, new DataAccessResourceFailureException("disk")),
                arguments(Fault.UNKNOWN, new InvalidDataAccessApiUsageException("wrong")),
                arguments(Fault.UNKNOWN, new UnexpectedRollbackException("rolled back")));
    }

    @ParameterizedTest
    @MethodSource("exceptions")
    void areClassifiedByTheirClassAndThenByTheirCauses(Fault fault, Exception exception) {
        assertThat(faults.classify(exception, FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(fault);
    }

    @Nested
    class OfWebClient {

        @ParameterizedTest
        @CsvSource({"503, TRANSIENT", "429, TRANSIENT", "404, PERMANENT", "500, UNKNOWN"})
        void areClassifiedByTheirStatus(int status, Fault fault) {
            assertThat(faults.classify(answer(status, new HttpHeaders()), FaultClassification.TRANSIENT_STATUSES))
                    .isEqualTo(fault);
        }

        @Test
        void tellWhenToComeBack() {
            HttpHeaders headers = new HttpHeaders();
            headers.set(HttpHeaders.RETRY_AFTER, "17");
            assertThat(LibraryFaults.ofWebClient(answer(503, headers))).isEqualTo(new HttpFailure(503, "17"));
            assertThat(LibraryFaults.ofWebClient(answer(503, new HttpHeaders())))
                    .isEqualTo(new HttpFailure(503, null));
        }

        private WebClientResponseException answer(int status, HttpHeaders headers) {
            return WebClientResponseException.create(status, "why", headers, new byte[0], StandardCharsets.UTF_8);
        }
    }

    @Test
    void anAnswerWithoutHeadersHasNoHint() {
        HttpClientErrorException answer = new HttpClientErrorException(HttpStatus.TOO_MANY_REQUESTS);
        assertThat(LibraryFaults.ofRestClient(answer)).isEqualTo(new HttpFailure(429, null));
        assertThat(LibraryFaults.ofRestClient(new ConnectException())).isNull();
    }
}
