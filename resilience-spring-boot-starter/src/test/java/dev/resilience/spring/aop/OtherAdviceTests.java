package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.StartupWarnings;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.aop.interceptor.AsyncUncaughtExceptionHandler;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** The advice's place among that of others. */
class OtherAdviceTests {

    @Test
    void everyAttemptPassesThroughTheAdviceFurtherIn() {
        Applications.plain(Shop.class, Tracing.class).run(context -> {
            context.getBean(Callee.class).failNext(2);

            assertThat(context.getBean(Shop.class).sell()).isEqualTo("answer 3");
            assertThat(context.getBean(Tracing.class).calls).containsExactly("sell", "sell", "sell");
        });
    }

    @Test
    void theWholeCallPassesOnceThroughTheAdviceFurtherOut() {
        Applications.plain(Shop.class, Tracing.class)
                .withPropertyValues("resilience.advice-order=" + (Ordered.LOWEST_PRECEDENCE - 1))
                .run(context -> {
                    context.getBean(Callee.class).failNext(2);

                    assertThat(context.getBean(Shop.class).sell()).isEqualTo("answer 3");
                    assertThat(context.getBean(Tracing.class).calls).containsExactly("sell");
                });
    }

    @Nested
    class TransactionalMethods {

        @Test
        void beginAnewWithEveryAttempt() {
            Applications.plain(Shop.class, Database.class).run(context -> {
                context.getBean(Callee.class).failNext(2);

                assertThat(context.getBean(Shop.class).order()).isEqualTo("answer 3");
                assertThat(context.getBean(CountedTransactions.class).log)
                        .containsExactly("begin", "rollback", "begin", "rollback", "begin", "commit");
            });
        }
    }

    @Nested
    class Caches {

        @Test
        void keepTheResultOfTheAttemptThatSucceeded() {
            Applications.plain(Shop.class, Cache.class).run(context -> {
                Callee callee = context.getBean(Callee.class).failNext(1);
                Shop shop = context.getBean(Shop.class);

                assertThat(shop.look("tea")).isEqualTo("answer 2");
                assertThat(shop.look("tea")).isEqualTo("answer 2");
                assertThat(callee.calls()).isEqualTo(2);
            });
        }
    }

    @Nested
    class AsyncMethods {

        @Test
        void areRetriedOnTheirOwnThread() {
            Applications.plain(Shop.class, Executors.class).run(context -> {
                context.getBean(Callee.class).failNext(2);

                assertThat(context.getBean(Shop.class).inTheBackground().get(10, TimeUnit.SECONDS))
                        .isEqualTo("answer 3");
            });
        }

        @Test
        void withoutAResultAreRetriedToo() {
            Applications.plain(Shop.class, Executors.class).run(context -> {
                context.getBean(Callee.class).failNext(1);
                CompletableFuture<String> told = new CompletableFuture<>();

                context.getBean(Shop.class).inTheBackground(told);

                assertThat(told.get(10, TimeUnit.SECONDS)).isEqualTo("answer 2");
                assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
            });
        }

        @Test
        void withoutAResultAreWarnedOfWhereOnlyTheHandingOverIsProtected() {
            Applications.plain(Shop.class, ExecutorsFurtherIn.class).run(context -> {
                context.getBean(Callee.class).failNext(1);
                CompletableFuture<String> told = new CompletableFuture<>();

                context.getBean(Shop.class).inTheBackground(told);

                await().untilAsserted(() -> assertThat(context.getBean(ExecutorsFurtherIn.class).failures)
                        .containsExactly("call 1 refused"));
                assertThat(told).isNotDone();
                assertThat(context.getBean(StartupWarnings.class).all())
                        .singleElement()
                        .asString()
                        .contains(
                                Shop.class.getName() + ".inTheBackground(java.util.concurrent.CompletableFuture)",
                                "@Async",
                                "@EnableAsync without an order");
            });
        }
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }

        @Transactional(rollbackFor = Exception.class)
        @Retryable("three")
        public String order() throws ConnectException {
            return callee.call();
        }

        @Cacheable("goods")
        @Retryable("three")
        public String look(String what) throws ConnectException {
            return callee.call();
        }

        @Async
        @Retryable("at-once")
        public CompletableFuture<String> inTheBackground() {
            return callee.callAsync();
        }

        @Async
        @Retryable("three")
        public void inTheBackground(CompletableFuture<String> told) throws ConnectException {
            told.complete(callee.call());
        }
    }

    /** An advisor of the application's own, a little outside transactions and caches. */
    @Configuration(proxyBeanMethods = false)
    static class Tracing {

        private final List<String> calls = new ArrayList<>();

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        DefaultPointcutAdvisor tracer() {
            MethodInterceptor tracer = invocation -> {
                calls.add(invocation.getMethod().getName());
                return invocation.proceed();
            };
            DefaultPointcutAdvisor advisor =
                    new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(Retryable.class), tracer);
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 50);
            return advisor;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Database {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new CountedTransactions();
        }
    }

    static final class CountedTransactions extends AbstractPlatformTransactionManager {

        private final transient List<String> log = new ArrayList<>();

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            log.add("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            log.add("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            log.add("rollback");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Cache {

        @Bean
        ConcurrentMapCacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Executors {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(order = Ordered.HIGHEST_PRECEDENCE)
    static class ExecutorsFurtherIn implements AsyncConfigurer {

        private final List<String> failures = new CopyOnWriteArrayList<>();

        @Override
        public AsyncUncaughtExceptionHandler getAsyncUncaughtExceptionHandler() {
            return (failure, method, arguments) -> failures.add(failure.getMessage());
        }
    }
}
