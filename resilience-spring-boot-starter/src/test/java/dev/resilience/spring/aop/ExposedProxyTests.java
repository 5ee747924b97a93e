package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.framework.AopContext;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Where proxies are exposed, a method finds its own in every attempt, on whatever thread. */
class ExposedProxyTests {

    private static ApplicationContextRunner application(Class<?> configuration) {
        return new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withUserConfiguration(configuration)
                .withPropertyValues(
                        "resilience.retry.default.max-attempts=3",
                        "resilience.retry.default.backoff.base-delay=0",
                        "resilience.retry.default.backoff.jitter=none",
                        "resilience.bulkhead.pool.type=thread-pool")
                .withBean(Gateway.class);
    }

    private enum Way {
        BLOCKING(Gateway::pay),
        ON_A_WORKER(Gateway::payOnWorker),
        LATER(gateway -> gateway.payLater().orTimeout(30, TimeUnit.SECONDS).join()),
        MONO(gateway -> gateway.payAsMono().block()),
        MONO_ON_ANOTHER_THREAD(gateway ->
                gateway.payAsMono().subscribeOn(Schedulers.boundedElastic()).block()),
        FLUX(gateway -> gateway.payAsFlux().blockLast());

        @SuppressWarnings("ImmutableEnumChecker") // has no state
        private final Function<Gateway, Object> call;

        Way(Function<Gateway, Object> call) {
            this.call = call;
        }
    }

    @ParameterizedTest
    @EnumSource
    void isFoundInEveryAttempt(Way way) {
        application(Exposing.class).run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            assertThat(AopUtils.isAopProxy(gateway)).isTrue();

            assertThat(way.call.apply(gateway)).isEqualTo("paid");

            assertThat(gateway.seen())
                    .hasSize(3)
                    .allSatisfy(proxy -> assertThat(proxy).isSameAs(gateway));
            assertThatIllegalStateException().isThrownBy(AopContext::currentProxy);
        });
    }

    @Test
    void isNotFoundWhereProxiesAreNotExposed() {
        application(Hiding.class)
                .run(context -> assertThatIllegalStateException()
                        .isThrownBy(
                                () -> context.getBean(Gateway.class).payAsMono().block())
                        .withMessageContaining("exposeProxy"));
    }

    @Test
    void theSubscribersOwnIsBackAfterwards() {
        application(Exposing.class).withBean(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(shop.order()).isSameAs(shop);
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy(proxyTargetClass = true, exposeProxy = true)
    static class Exposing {}

    @Configuration(proxyBeanMethods = false)
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class Hiding {}

    static class Gateway {

        private final List<Object> seen = Collections.synchronizedList(new ArrayList<>());

        List<Object> seen() {
            return seen;
        }

        private boolean succeeds() {
            seen.add(AopContext.currentProxy());
            return seen.size() == 3;
        }

        private String answer() {
            if (succeeds()) {
                return "paid";
            }
            throw new UncheckedIOException(new ConnectException("refused"));
        }

        @Retryable
        public String pay() {
            return answer();
        }

        @Retryable
        @Bulkhead("pool")
        public String payOnWorker() {
            return answer();
        }

        @Retryable
        public CompletableFuture<String> payLater() {
            return succeeds()
                    ? CompletableFuture.completedFuture("paid")
                    : CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        @Retryable
        public Mono<String> payAsMono() {
            return succeeds() ? Mono.just("paid") : Mono.error(new ConnectException("refused"));
        }

        @Retryable
        public Flux<String> payAsFlux() {
            return succeeds() ? Flux.just("paid") : Flux.error(new ConnectException("refused"));
        }
    }

    static class Shop {

        private final Gateway gateway;

        Shop(Gateway gateway) {
            this.gateway = gateway;
        }

        @Retryable
        public Object order() {
            gateway.payAsMono().block();
            return AopContext.currentProxy();
        }
    }
}
