package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** Who may reach the endpoint is decided by Boot's own properties. */
class EndpointExposureTests {

    @Nested
    class OverHttp {

        @Test
        void isOffUntilTheEndpointIsExposed() {
            web().run(context -> {
                assertThat(context).doesNotHaveBean(ResilienceEndpoint.class).doesNotHaveBean(EventLog.class);
                assertThat(MockMvcTester.from(context).get().uri("/actuator/resilience"))
                        .hasStatus(HttpStatus.NOT_FOUND);
            });
        }

        @Test
        void isOnWhenItIsExposed() {
            web().withPropertyValues("management.endpoints.web.exposure.include=resilience")
                    .run(context -> assertThat(MockMvcTester.from(context).get().uri("/actuator/resilience"))
                            .hasStatus(HttpStatus.OK)
                            .hasContentType("application/vnd.spring-boot.actuator.v3+json"));
        }

        @Test
        void anApplicationThatProtectsNothingCreatesNothingUntilItIsAsked() {
            web().withPropertyValues("management.endpoints.web.exposure.include=resilience")
                    .run(context -> {
                        assertThat(context.getSourceApplicationContext()
                                        .getBeanFactory()
                                        .containsSingleton("resilienceRegistry"))
                                .isFalse();
                        assertThat(MockMvcTester.from(context).get().uri("/actuator/resilience/retry/default"))
                                .hasStatus(HttpStatus.OK);
                        assertThat(context.getSourceApplicationContext()
                                        .getBeanFactory()
                                        .containsSingleton("resilienceRegistry"))
                                .isTrue();
                    });
        }

        @Test
        void movesWithTheBasePath() {
            web().withPropertyValues(
                            "management.endpoints.web.exposure.include=*",
                            "management.endpoints.web.base-path=/manage",
                            "management.endpoints.web.path-mapping.resilience=policies")
                    .run(context -> assertThat(MockMvcTester.from(context).get().uri("/manage/policies/retry/default"))
                            .hasStatus(HttpStatus.OK));
        }

        @Test
        void readOnlyAccessForbidsActions() {
            web().withPropertyValues(
                            "management.endpoints.web.exposure.include=*",
                            "management.endpoint.resilience.access=READ_ONLY")
                    .run(context -> {
                        MockMvcTester mvc = MockMvcTester.from(context);
                        assertThat(mvc.get().uri("/actuator/resilience")).hasStatus(HttpStatus.OK);
                        assertThat(mvc.post()
                                        .uri("/actuator/resilience/circuit-breaker/default")
                                        .contentType(MediaType.APPLICATION_JSON)
                                        .content("{\"action\": \"force-open\"}"))
                                .hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
                    });
        }

        @Test
        void withoutAccessThereIsNoEndpoint() {
            web().withPropertyValues(
                            "management.endpoints.web.exposure.include=*",
                            "management.endpoint.resilience.access=NONE",
                            "management.endpoint.resiliencedashboard.access=NONE")
                    .run(context -> assertThat(context).doesNotHaveBean(ResilienceEndpoint.class));
        }

        @Test
        void withoutAccessToThePoliciesTheDashboardShowsNone() {
            web().withPropertyValues(
                            "management.endpoints.web.exposure.include=*", "management.endpoint.resilience.access=NONE")
                    .run(context -> {
                        MockMvcTester mvc = MockMvcTester.from(context);
                        assertThat(mvc.get().uri("/actuator/resilience")).hasStatus(HttpStatus.NOT_FOUND);
                        assertThat(mvc.get().uri("/actuator/resiliencedashboard/data"))
                                .hasStatusOk()
                                .bodyJson()
                                .isStrictlyEqualTo("{'problem': 'management.endpoint.resilience.access is none'}"
                                        .replace('\'', '"'));
                    });
        }

        private WebApplicationContextRunner web() {
            return new WebApplicationContextRunner()
                    .withConfiguration(SortedOnce.of(
                            ResilienceAutoConfiguration.class,
                            ResilienceActuatorAutoConfiguration.class,
                            EndpointAutoConfiguration.class,
                            WebEndpointAutoConfiguration.class,
                            ManagementContextAutoConfiguration.class,
                            JacksonAutoConfiguration.class,
                            JacksonEndpointAutoConfiguration.class,
                            HttpMessageConvertersAutoConfiguration.class,
                            DispatcherServletAutoConfiguration.class,
                            WebMvcAutoConfiguration.class));
        }
    }

    @Nested
    class OverJmx {

        private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        private final ObjectName name = objectName();

        @Test
        void showsEverything() {
            jmx().run(context -> assertThat(invoke("resilience"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsKeys("retry", "circuit-breaker", "warnings"));
        }

        @Test
        void showsAKind() {
            jmx().run(context -> assertThat(invoke("policies", "bulkhead"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsKeys("default"));
        }

        @Test
        void showsOnePolicyAndForAnUnknownNameWhatThereIs() {
            jmx().run(context -> {
                assertThat(invoke("policy", "retry", "default"))
                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                        .containsKeys("policy", "state", "usedBy", "events");
                assertThatThrownBy(() -> invoke("policy", "retry", "unknown"))
                        .hasMessageContaining("No retry policy 'unknown'. There are these names: [default]");
                assertThatThrownBy(() -> invoke("policy", "bulk-head", "default"))
                        .hasMessageContaining("No kind 'bulk-head'. Did you mean 'bulkhead'? There are these kinds: [");
            });
        }

        @Test
        void movesACircuitBreaker() {
            jmx().run(context -> {
                assertThat(invoke("act", "circuit-breaker", "default", "force-open"))
                        .asInstanceOf(InstanceOfAssertFactories.MAP)
                        .extractingByKey("state", InstanceOfAssertFactories.MAP)
                        .containsEntry("state", "FORCED_OPEN");
                assertThatThrownBy(() -> invoke("act", "circuit-breaker", "unknown", "close"))
                        .hasMessageContaining("There are these names: [default]");
            });
        }

        @Test
        void refusesAnUnknownActionInWordsThatNeedNoClassOfOurs() {
            jmx().run(context -> assertThatThrownBy(() -> invoke("act", "circuit-breaker", "default", "explode"))
                    .isInstanceOf(ReflectionException.class)
                    .hasMessageContaining("No action 'explode'")
                    .cause()
                    .isExactlyInstanceOf(IllegalArgumentException.class));
        }

        @Test
        void isOffUntilTheEndpointIsExposed() {
            jmx().withPropertyValues("management.endpoints.jmx.exposure.include=health")
                    .run(context -> assertThatThrownBy(() -> invoke("resilience"))
                            .isInstanceOf(InstanceNotFoundException.class));
        }

        private ApplicationContextRunner jmx() {
            return new ApplicationContextRunner()
                    .withConfiguration(SortedOnce.of(
                            ResilienceAutoConfiguration.class,
                            ResilienceActuatorAutoConfiguration.class,
                            EndpointAutoConfiguration.class,
                            JmxAutoConfiguration.class,
                            JmxEndpointAutoConfiguration.class))
                    .withPropertyValues(
                            "spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=resilience");
        }

        private Object invoke(String operation, String... arguments) throws Exception {
            String[] signature = new String[arguments.length];
            Arrays.fill(signature, String.class.getName());
            return server.invoke(name, operation, arguments, signature);
        }

        private static ObjectName objectName() {
            try {
                return new ObjectName("org.springframework.boot:type=Endpoint,name=Resilience");
            } catch (MalformedObjectNameException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
