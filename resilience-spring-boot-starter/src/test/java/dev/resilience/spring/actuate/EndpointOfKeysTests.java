package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

/** Keys over HTTP: in the policy's entry, one by name, and actions on it. */
@SpringBootTest(
        classes = EndpointOfKeysTests.Application.class,
        properties = {
            "resilience.circuit-breaker.crm.failure-threshold=1",
            "management.endpoints.web.exposure.include=resilience",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class EndpointOfKeysTests {

    private static final String CRM = "/actuator/resilience/circuit-breaker/crm";

    @Autowired
    MockMvcTester mvc;

    @Autowired
    Crm crm;

    @Test
    void oneKeyIsShownByNameAndMoved() {
        crm.find("tenant 7");
        crm.find("other");
        assertThat(mvc.get().uri(CRM))
                .bodyJson()
                .extractingPath("$.state.keys.other.state")
                .isEqualTo("CLOSED");

        assertThat(mvc.post()
                        .uri(CRM)
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"action\": \"force-open\", \"key\": \"tenant 7\"}"))
                .hasStatusOk()
                .bodyJson()
                .extractingPath("$.state.state")
                .isEqualTo("FORCED_OPEN");

        assertThat(mvc.get().uri(CRM).param("key", "tenant 7"))
                .hasStatusOk()
                .bodyJson()
                .extractingPath("$.state.state")
                .isEqualTo("FORCED_OPEN");
        assertThat(mvc.get().uri(CRM))
                .bodyJson()
                .extractingPath("$.state.state")
                .isEqualTo("CLOSED");
        assertThat(mvc.get().uri("/actuator/resilience"))
                .bodyJson()
                .extractingPath("$.trouble[0]")
                .isEqualTo("circuit-breaker/crm");
    }

    @Test
    void aChangeOfThePolicyIsForNoSingleKey() {
        crm.find("tenant 9");
        assertThat(mvc.post()
                        .uri(CRM)
                        .contentType(MediaType.APPLICATION_JSON)
                        .content("{\"policy\": {\"failure-threshold\": 3}, \"key\": \"tenant 9\"}"))
                .hasStatus(400)
                .bodyText()
                .contains("a field without effect", "Leave it out: a policy changes for all");
        assertThat(mvc.get().uri(CRM))
                .bodyJson()
                .extractingPath("$.policy['failure-threshold']")
                .isEqualTo(1);
    }

    @Test
    void aShortKeyThatIsNotKnownIsLikeNoOther() {
        crm.find("");
        crm.find("xy");
        assertThat(mvc.get().uri(CRM).param("key", "7"))
                .hasStatus(404)
                .bodyText()
                .contains("No key of circuit-breaker policy 'crm' '7'.\"");
    }

    @Test
    void aKeyThatIsNotKnownIsNotFoundAndToldWhichAre() {
        crm.find("tenant-8");
        assertThat(mvc.get().uri(CRM).param("key", "tenant-9"))
                .hasStatus(404)
                .bodyText()
                .contains("No key of circuit-breaker policy 'crm' 'tenant-9'. Did you mean 'tenant-8'?", "\"keys\":");
    }

    static class Crm {

        @CircuitBreaker(value = "crm", key = "#tenant")
        public String find(String tenant) {
            return tenant;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Crm.class)
    static class Application {

        @Bean
        MockMvcTester mvc(WebApplicationContext context) {
            return MockMvcTester.from(context);
        }
    }
}
