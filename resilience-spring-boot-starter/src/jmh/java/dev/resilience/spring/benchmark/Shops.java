package dev.resilience.spring.benchmark;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The same method, protected by one library each, and not at all. */
@Configuration(proxyBeanMethods = false)
class Shops {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor floorAdvisor() {
        return new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> type) {
                        return type == Floor.class && method.getName().equals("sell");
                    }
                },
                new DoesNothing());
    }

    @Bean
    Floor floor() {
        return new Floor();
    }

    @Bean
    Retried retried() {
        return new Retried();
    }

    @Bean
    Protected protectedShop() {
        return new Protected();
    }

    @Bean
    SpringFramework springFramework() {
        return new SpringFramework();
    }

    @Bean
    SpringRetry springRetry() {
        return new SpringRetry();
    }

    @Bean
    Resilience4jRetry resilience4jRetry() {
        return new Resilience4jRetry();
    }

    @Bean
    Resilience4jAll resilience4jAll() {
        return new Resilience4jAll();
    }

    static final class DoesNothing implements MethodInterceptor {

        @Override
        public Object invoke(MethodInvocation invocation) throws Throwable {
            return invocation.proceed();
        }
    }

    static class Floor extends Shop {

        @Override
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }

    static class Retried extends Shop {

        @Override
        @Retryable("default")
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }

    static class Protected extends Shop {

        @Override
        @Bulkhead("default")
        @CircuitBreaker("default")
        @Retryable("default")
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }

    static class SpringFramework extends Shop {

        @Override
        @org.springframework.resilience.annotation.Retryable
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }

    static class SpringRetry extends Shop {

        @Override
        @org.springframework.retry.annotation.Retryable
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }

    static class Resilience4jRetry extends Shop {

        @Override
        @io.github.resilience4j.retry.annotation.Retry(name = "default")
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }

    static class Resilience4jAll extends Shop {

        @Override
        @io.github.resilience4j.bulkhead.annotation.Bulkhead(name = "default")
        @io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker(name = "default")
        @io.github.resilience4j.retry.annotation.Retry(name = "default")
        public Object sell(String item, int amount) {
            return super.sell(item, amount);
        }
    }
}
