package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.support.GenericApplicationContext;

class BeansAndTheirOriginsTests {

    @Test
    void aBeanMethodThatReturnsAnInterfaceGivesAProtectedBean() {
        Applications.plain(Ports.class).run(context -> {
            Port port = context.getBean("byClass", Port.class);
            assertThat(context.getBean(Callee.class).attemptsOf(port::sell)).isEqualTo(3);
        });
    }

    @Test
    void aLambdaOfAnAnnotatedInterfaceIsProtected() {
        Applications.plain(Ports.class).run(context -> {
            AnnotatedPort port = context.getBean("byLambda", AnnotatedPort.class);

            assertThat(context.getBean(Callee.class).attemptsOf(port::buy)).isEqualTo(4);
            assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "four"))
                    .contains("AnnotatedPort.buy()");
        });
    }

    @Test
    void anAnonymousClassIsProtectedAndHasAName() {
        Applications.plain(Ports.class).run(context -> {
            AnnotatedPort port = context.getBean("byAnonymousClass", AnnotatedPort.class);

            assertThat(context.getBean(Callee.class).attemptsOf(port::buy)).isEqualTo(4);
            assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "four"))
                    .contains("BeansAndTheirOriginsTests$Ports$1.buy()");
        });
    }

    @Test
    void aConfigurationClassIsProtectedLikeAnyBean() {
        Applications.with(Settings.class, (settings, callee) -> {
            assertThat(callee.attemptsOf(settings::load)).isEqualTo(3);
            assertThat(settings.loader()).isSameAs(settings.loader());
        });
    }

    @Test
    void everyInstanceOfAPrototypeIsProtected() {
        Applications.plain(Prototype.class).run(context -> {
            Callee callee = context.getBean(Callee.class);
            assertThat(callee.attemptsOf(context.getBean(Prototype.class)::sell))
                    .isEqualTo(3);
            assertThat(callee.attemptsOf(context.getBean(Prototype.class)::sell))
                    .isEqualTo(3);
        });
    }

    @Test
    void aLazyBeanIsProtectedWhenItComes() {
        Applications.with(
                LazyShop.class,
                (shop, callee) -> assertThat(callee.attemptsOf(shop::sell)).isEqualTo(3));
    }

    @Test
    void aBeanRegisteredAfterTheStartIsProtected() {
        Applications.plain().run(context -> {
            context.getSourceApplicationContext(GenericApplicationContext.class).registerBean(LateShop.class);
            LateShop shop = context.getBean(LateShop.class);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::sell)).isEqualTo(5);
        });
    }

    @Test
    void beansOfOneClassShareTheirPolicies() {
        Applications.plain(TwoOfAKind.class)
                .withPropertyValues("resilience.circuit-breaker.shared.failure-threshold=2")
                .run(context -> {
                    Gateway first = context.getBean("first", Gateway.class);
                    Gateway second = context.getBean("second", Gateway.class);
                    context.getBean(Callee.class).failNext(2);

                    assertThatThrownBy(first::send).isInstanceOf(ConnectException.class);
                    assertThatThrownBy(second::send).isInstanceOf(ConnectException.class);

                    assertThatThrownBy(first::send).isInstanceOf(CircuitOpenException.class);
                    assertThatThrownBy(second::send).isInstanceOf(CircuitOpenException.class);
                    assertThat(context.getBean(LiveRegistry.class).usedBy("circuit-breaker", "shared"))
                            .containsExactly("Gateway.send()");
                });
    }

    interface Port {

        String sell() throws ConnectException;
    }

    interface AnnotatedPort {

        @Retryable("four")
        String buy() throws ConnectException;
    }

    static class Shop implements Port {

        private final Callee callee;

        Shop(Callee callee) {
            this.callee = callee;
        }

        @Override
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Ports {

        @Bean
        Port byClass(Callee callee) {
            return new Shop(callee);
        }

        @Bean
        AnnotatedPort byLambda(Callee callee) {
            return callee::call;
        }

        @Bean
        AnnotatedPort byAnonymousClass(Callee callee) {
            return new AnnotatedPort() {
                @Override
                public String buy() throws ConnectException {
                    return callee.call();
                }
            };
        }
    }

    @Configuration
    static class Settings {

        @Autowired
        Callee callee;

        @Retryable("three")
        public String load() throws ConnectException {
            return callee.call();
        }

        @Bean
        Object loader() {
            return new Object();
        }
    }

    @Scope("prototype")
    static class Prototype extends Shop {

        Prototype(Callee callee) {
            super(callee);
        }
    }

    @Lazy
    static class LazyShop extends Shop {

        LazyShop(Callee callee) {
            super(callee);
        }
    }

    static class LateShop {

        @Autowired
        Callee callee;

        @Retryable("five")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    static class Gateway {

        private final Callee callee;

        Gateway(Callee callee) {
            this.callee = callee;
        }

        @CircuitBreaker("shared")
        public String send() throws ConnectException {
            return callee.call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoOfAKind {

        @Bean
        Gateway first(Callee callee) {
            return new Gateway(callee);
        }

        @Bean
        Gateway second(Callee callee) {
            return new Gateway(callee);
        }
    }
}
