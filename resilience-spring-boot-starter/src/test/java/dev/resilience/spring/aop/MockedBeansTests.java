package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Callee;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(MockedBeansTests.Application.class)
@TestPropertySource(properties = {"resilience.retry.default.backoff.base-delay=0"})
class MockedBeansTests {

    @MockitoBean
    Shop shop;

    @MockitoBean
    Port port;

    @MockitoSpyBean
    Depot depot;

    @Autowired
    Callee callee;

    @Test
    void aMockOfAnAnnotatedClassWorks() throws Exception {
        given(shop.sell()).willReturn("mocked");
        given(port.fetch()).willReturn("mocked too");

        assertThat(shop.sell()).isEqualTo("mocked");
        assertThat(port.fetch()).isEqualTo("mocked too");
    }

    @Test
    void aSpyIsProtectedAndSeesEveryAttempt() throws Exception {
        callee.failNext(2);

        assertThat(depot.load()).isEqualTo("answer 3");
        verify(depot, times(3)).load();
    }

    static class Shop {

        @Retryable("missing")
        public String sell() {
            return "sold";
        }
    }

    interface Port {

        @Retryable("default")
        String fetch();
    }

    static class Depot {

        @Autowired
        Callee callee;

        @Retryable("default")
        public String load() throws ConnectException {
            return callee.call();
        }
    }

    @ImportAutoConfiguration({AopAutoConfiguration.class, ResilienceAutoConfiguration.class})
    @Import({Shop.class, Depot.class, Callee.class})
    static class Application {}
}
