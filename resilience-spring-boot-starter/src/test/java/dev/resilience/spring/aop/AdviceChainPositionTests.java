package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

/** Attempts pass through all advice that stands further in, whether there was some from the start or not. */
class AdviceChainPositionTests {

    private final ApplicationContextRunner application = Applications.plain(Shops.class)
            .withPropertyValues(
                    "resilience.retry.default.backoff.base-delay=1ms", "resilience.retry.default.budget=none");
    private final AtomicInteger passed = new AtomicInteger();
    private final MethodInterceptor counting = invocation -> {
        passed.incrementAndGet();
        return invocation.proceed();
    };

    @Test
    void withoutAnyTheMethodIsCalledAgain() {
        application.run(context -> {
            Shop shop = context.getBean("single", Shop.class);

            assertThat(shop.sell(2)).isEqualTo("attempt 3");
            assertThat(shop.sell(1)).isEqualTo("attempt 2");
        });
    }

    @Test
    void withSomeFromTheStartEachAttemptPassesIt() {
        application.run(context -> {
            Shop shop = context.getBean("single", Shop.class);
            ((Advised) shop).addAdvice(counting);

            assertThat(shop.sell(2)).isEqualTo("attempt 3");

            assertThat(passed).hasValue(3);
        });
    }

    @Test
    void withSomeAddedLaterTheCallThatFindsItIsNotRepeatedWithoutIt() {
        application.run(context -> {
            Shop shop = context.getBean("single", Shop.class);
            assertThat(shop.sell(2)).isEqualTo("attempt 3");
            ((Advised) shop).addAdvice(counting);

            assertThatThrownBy(() -> shop.sell(2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("advice was added to the proxy of")
                    .hasSuppressedException(new ConnectException("attempt 1"));
            assertThat(passed).hasValue(1);

            assertThat(shop.sell(2)).as("one attempt was made before").isEqualTo("attempt 3");
            assertThat(passed).hasValue(3);
        });
    }

    @Test
    void withSomeTakenAwayLaterTheMethodIsCalledAgain() {
        application.run(context -> {
            Shop shop = context.getBean("single", Shop.class);
            ((Advised) shop).addAdvice(counting);
            assertThat(shop.sell(1)).isEqualTo("attempt 2");
            ((Advised) shop).removeAdvice(counting);

            assertThat(shop.sell(2)).isEqualTo("attempt 3");
            assertThat(passed).hasValue(2);
        });
    }

    @Test
    void adviceOnAnotherMethodOfTheBeanDoesNotCount() {
        application.run(context -> {
            Shop shop = context.getBean("single", Shop.class);
            AtomicReference<MethodInvocation> call = new AtomicReference<>();
            ((Advised) shop).addAdvice(0, (MethodInterceptor) invocation -> {
                call.set(invocation);
                return invocation.proceed();
            });
            MethodPlans plans = context.getBean(ResilienceAdvisor.class).plans();

            ((Advised) shop).addAdvisor(new NameMatchMethodPointcutAdvisor(counting) {
                {
                    addMethodName("look");
                }
            });
            shop.sell(0);
            assertThat(plans.plan(call.get()).position().isLast(call.get())).isTrue();

            ((Advised) shop).addAdvice(counting);
            assertThat(plans.plan(call.get()).position().isStillLast(call.get()))
                    .isFalse();
        });
    }

    @Test
    void eachProxyOfAClassHasItsOwn() {
        application.run(context -> {
            List<Shop> shops = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Shop shop = context.getBean("many", Shop.class);
                if (i % 2 == 0) {
                    ((Advised) shop).addAdvice(counting);
                }
                shops.add(shop);
            }
            for (int round = 1; round <= 3; round++) {
                for (Shop shop : shops) {
                    assertThat(shop.sell(2)).isEqualTo("attempt 3");
                }
                assertThat(passed).hasValue(round * 20 * 3);
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Shops {

        @Bean
        Shop single() {
            return new Shop();
        }

        @Bean
        @Scope("prototype")
        Shop many() {
            return new Shop();
        }
    }

    static class Shop {

        private int attempts;

        public String look() {
            return "nothing";
        }

        @Retryable("default")
        public String sell(int failures) throws ConnectException {
            attempts++;
            if (attempts <= failures) {
                throw new ConnectException("attempt " + attempts);
            }
            String result = "attempt " + attempts;
            attempts = 0;
            return result;
        }
    }
}
