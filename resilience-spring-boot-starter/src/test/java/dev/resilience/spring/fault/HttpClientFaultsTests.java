package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.RefusingPort;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** What every HTTP client really throws, and what kind of fault that is: one method for each trouble, one run a client. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@Timeout(120)
class HttpClientFaultsTests {

    private static final Map<String, Clients.Get> PATIENT = Clients.patientFor(Duration.ofSeconds(30));
    private static final Map<String, Clients.Get> IMPATIENT = Clients.patientFor(Duration.ofMillis(150));

    private static final FaultyServers trouble = new FaultyServers();
    private static String untrusted;

    @BeforeAll
    static void start() throws Exception {
        untrusted = trouble.untrusted(Certificate.selfSigned());
    }

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    @AfterAll
    static void stop() throws IOException {
        trouble.close();
    }

    static Stream<String> clients() {
        return PATIENT.keySet().stream();
    }

    @Nested
    class IsTransient {

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aRefusedConnection(String client) throws IOException {
            assertThat(faultOf(PATIENT.get(client), RefusingPort.url())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aResetConnection(String client) throws IOException {
            assertThat(faultOf(PATIENT.get(client), trouble.resetting())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aConnectionThatEndsWithoutAnAnswer(String client) throws IOException {
            assertThat(faultOf(PATIENT.get(client), trouble.hangingUp())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void anAnswerThatIsCutOff(String client) throws IOException {
            assertThat(faultOf(PATIENT.get(client), trouble.cuttingOff())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aTimeoutBeforeTheAnswer(String client) throws IOException {
            assertThat(faultOf(IMPATIENT.get(client), trouble.hanging())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aTimeoutWithinTheAnswer(String client) throws IOException {
            assumeThat(Set.of("HttpClient", "WebClient, JDK"))
                    .as("up to JDK 25 its request timeout ends with the headers")
                    .doesNotContain(client);

            assertThat(faultOf(IMPATIENT.get(client), trouble.hangingHalfWay())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void anUnknownHost(String client) {
            assertThat(faultOf(PATIENT.get(client), "http://nowhere.invalid/")).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aTlsHandshakeThatIsCutOff(String client) throws IOException {
            assertThat(faultOf(PATIENT.get(client), trouble.cuttingOffTls())).isEqualTo(TRANSIENT);
        }

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aTlsHandshakeThatIsReset(String client) throws IOException {
            assertThat(faultOf(PATIENT.get(client), trouble.resettingTls())).isEqualTo(TRANSIENT);
        }
    }

    @Nested
    class IsPermanent {

        @ParameterizedTest
        @MethodSource("dev.resilience.spring.fault.HttpClientFaultsTests#clients")
        void aCertificateThatNobodyTrusts(String client) {
            assertThat(faultOf(PATIENT.get(client), untrusted)).isEqualTo(PERMANENT);
        }
    }

    /** {@code java.net.http.HttpClient} throws nothing for a status. */
    @Nested
    class AStatus {

        private Backend backend;

        @BeforeEach
        void start() throws IOException {
            backend = new Backend();
        }

        @AfterEach
        void stop() {
            backend.close();
        }

        static Stream<String> clients() {
            return HttpClientFaultsTests.clients().filter(client -> !client.equals("HttpClient"));
        }

        @ParameterizedTest
        @MethodSource("clients")
        void saysByItselfWhatKindOfFaultItIs(String client) {
            backend.answering(408, 429, 502, 503, 504, 400, 401, 404, 409, 500, 501);
            for (int status : new int[] {408, 429, 502, 503, 504}) {
                assertThat(faultOf(PATIENT.get(client), backend.url()))
                        .as("%s", status)
                        .isEqualTo(TRANSIENT);
            }
            for (int status : new int[] {400, 401, 404, 409}) {
                assertThat(faultOf(PATIENT.get(client), backend.url()))
                        .as("%s", status)
                        .isEqualTo(PERMANENT);
            }
            for (int status : new int[] {500, 501}) {
                assertThat(faultOf(PATIENT.get(client), backend.url()))
                        .as("%s", status)
                        .isEqualTo(Fault.UNKNOWN);
            }
        }

        @ParameterizedTest
        @MethodSource("clients")
        void mayTellWhenToComeBack(String client) {
            backend.answeringWith(503, "Retry-After", "17").answering(503);

            Throwable withHint = failureOf(PATIENT.get(client), backend.url());
            assertThat(faults.httpFailure(withHint)).isEqualTo(new HttpFailure(503, "17"));
            Throwable without = failureOf(PATIENT.get(client), backend.url());
            assertThat(faults.httpFailure(without)).isEqualTo(new HttpFailure(503, null));
        }

        @ParameterizedTest
        @MethodSource("clients")
        void mayRefuseRetriesAndIsTransientForCircuitBreakersAllTheSame(String client) {
            for (String value : new String[] {"no", "No", "yes"}) {
                backend.answeringWith(503, "x-resilience-retry", value);

                Throwable failure = failureOf(PATIENT.get(client), backend.url());

                boolean refused = !value.equals("yes");
                assertThat(faults.httpFailure(failure)).isEqualTo(new HttpFailure(503, null, value));
                assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES))
                        .isEqualTo(TRANSIENT);
                assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES, true))
                        .isEqualTo(refused ? PERMANENT : TRANSIENT);
            }
        }
    }

    private Fault faultOf(Clients.Get client, String url) {
        Throwable failure = failureOf(client, url);
        assertThat(FaultClassification.isInterrupt(failure)).as("%s", failure).isFalse();
        return faults.classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static Throwable failureOf(Clients.Get client, String url) {
        Throwable failure = catchThrowable(() -> client.from(url));
        assertThat(failure).as("what is thrown").isNotNull();
        return failure;
    }
}
