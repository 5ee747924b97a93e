package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.spring.StartupWarnings;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationBeanPostProcessor;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.task.DelegatingSecurityContextTaskExecutor;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** An {@code @Async} method runs on a thread that knows no caller: its caller is the one that called it. */
@Timeout(60)
class CallersOfAsyncMethodsTests {

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
    }

    private static ApplicationContextRunner runner() {
        return IdempotentApplication.runner()
                .withPropertyValues("resilience.idempotency.shared.scope=none")
                .withUserConfiguration(Executor.class);
    }

    private static void logIn(Authentication authentication) {
        SecurityContextHolder.getContext().setAuthentication(authentication);
    }

    private static void logIn(String name) {
        logIn(UsernamePasswordAuthenticationToken.authenticated(name, null, List.of()));
    }

    @ParameterizedTest
    @ValueSource(classes = {AsyncOutside.class, AsyncInside.class, Delegating.class})
    void haveReceiptsOfTheirOwnOnWhicheverSideAsyncStands(Class<?> configuration) {
        ApplicationContextRunner runner = runner().withUserConfiguration(configuration);
        IdempotentApplication.with(runner, Payments.class, payments -> {
            logIn("alice");
            assertThat(result(payments.pay("k"))).isEqualTo(1);
            logIn("bob");
            assertThat(result(payments.pay("k"))).isEqualTo(2);
            logIn("alice");
            assertThat(result(payments.pay("k"))).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {OfTheType.class, ByMetaAnnotation.class})
    void haveReceiptsOfTheirOwnHoweverAsyncIsWritten(Class<? extends PaymentService> type) {
        ApplicationContextRunner runner = runner().withUserConfiguration(AsyncOutside.class);
        IdempotentApplication.with(runner, type, payments -> {
            logIn("alice");
            assertThat(result(payments.pay("k"))).isEqualTo(1);
            logIn("bob");
            assertThat(result(payments.pay("k"))).isEqualTo(2);
        });
    }

    @Test
    void haveReceiptsOfTheirOwnBehindAnInterface() {
        ApplicationContextRunner runner = runner().withPropertyValues("spring.aop.proxy-target-class=false")
                .withUserConfiguration(AsyncOutside.class)
                .withBean(OfTheType.class);
        runner.run(context -> {
            PaymentService payments = context.getBean(PaymentService.class);
            logIn("alice");
            assertThat(result(payments.pay("k"))).isEqualTo(1);
            logIn("bob");
            assertThat(result(payments.pay("k"))).isEqualTo(2);
        });
    }

    @Test
    void areKeptApartWhereNoResultIsWaitedFor() {
        ApplicationContextRunner runner = runner().withUserConfiguration(AsyncOutside.class);
        IdempotentApplication.with(runner, Payments.class, payments -> {
            logIn("alice");
            payments.send("k");
            logIn("bob");
            payments.send("k");
            assertThat(payments.sent().tryAcquire(2, 30, TimeUnit.SECONDS)).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {AsyncOutside.class, AsyncInside.class})
    void areWarnedOfAMethodOfWhichOnlyTheHandingOverIsProtected(Class<?> configuration) {
        runner().withUserConfiguration(configuration).withBean(Payments.class).run(context -> {
            List<String> warnings = context.getBean(StartupWarnings.class).all();
            if (configuration == AsyncOutside.class) {
                assertThat(warnings).isEmpty();
            } else {
                assertThat(warnings)
                        .singleElement()
                        .asString()
                        .contains("Payments.send(java.lang.String)", "further out than @Async");
            }
        });
    }

    @Test
    void areRefusedInTheFutureIfTheyCannotBeToldApart() {
        ApplicationContextRunner runner = runner().withUserConfiguration(AsyncOutside.class);
        IdempotentApplication.with(runner, Payments.class, payments -> {
            TestingAuthenticationToken nameless = new TestingAuthenticationToken(" ", "secret", "ROLE_USER");
            logIn(nameless);
            CompletableFuture<Integer> refused = payments.pay("k");
            assertThatThrownBy(() -> result(refused))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has no name");
        });
    }

    @Test
    void haveTheKeyOfTheirRequest() {
        IdempotentApplication.web()
                .withPropertyValues("resilience.idempotency-store.type=memory")
                .withUserConfiguration(Executor.class, AsyncOutside.class)
                .withBean(ByHeader.class)
                .run(context -> {
                    ByHeader payments = context.getBean(ByHeader.class);
                    logIn("alice");
                    MockHttpServletRequest request = new MockHttpServletRequest();
                    request.addHeader("Idempotency-Key", "k");
                    RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
                    assertThat(result(payments.pay())).isEqualTo(1);
                    assertThat(result(payments.pay())).isEqualTo(1);

                    RequestContextHolder.resetRequestAttributes();
                    CompletableFuture<Integer> without = payments.pay();
                    assertThatThrownBy(() -> result(without)).hasCauseInstanceOf(IdempotencyKeyMissingException.class);
                });
    }

    @Test
    void areRefusedIfAsyncWasPutAroundTheProxyLater() {
        IdempotentApplication.with(runner().withUserConfiguration(Executor.class), Payments.class, payments -> {
            AsyncAnnotationBeanPostProcessor late = new AsyncAnnotationBeanPostProcessor();
            late.setBeanFactory(new DefaultListableBeanFactory());
            late.postProcessAfterInitialization(payments, "payments");
            assertThat(((Advised) payments).getAdvisors()).isNotEmpty();
            logIn("alice");
            CompletableFuture<Integer> refused = payments.pay("k");
            assertThatThrownBy(() -> result(refused))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@Async");
            assertThat(result(payments.payForAnyone("k"))).isEqualTo(1);
        });
    }

    @Test
    void areRefusedAtStartupIfAsyncIsAProxyOfItsOwn() {
        runner().withUserConfiguration(AsyncOutside.class, Opaque.class)
                .withBean(Payments.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("Payments.pay(java.lang.String)")
                        .hasMessageContaining("@Async"));
    }

    private static <T> T result(CompletableFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    @Configuration(proxyBeanMethods = false)
    static class Executor {

        @Bean
        TaskExecutor taskExecutor() {
            return new SimpleAsyncTaskExecutor();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncOutside {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(order = Ordered.HIGHEST_PRECEDENCE)
    static class AsyncInside {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Delegating {

        @Bean
        @Primary
        TaskExecutor delegating() {
            return new DelegatingSecurityContextTaskExecutor(new SimpleAsyncTaskExecutor());
        }
    }

    /** Proxies to which no other post-processor can add its advice: each makes one of its own. */
    @Configuration(proxyBeanMethods = false)
    static class Opaque {

        @Bean
        static BeanFactoryPostProcessor opaqueProxies() {
            return beans -> beans.getBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                    .getPropertyValues()
                    .add("opaque", true);
        }
    }

    interface PaymentService {
        CompletableFuture<Integer> pay(String key);
    }

    static class Payments implements PaymentService {

        final AtomicInteger calls = new AtomicInteger();
        private final Semaphore sent = new Semaphore(0);

        Semaphore sent() {
            return sent;
        }

        @Override
        @Async
        @Idempotent(key = "#key")
        public CompletableFuture<Integer> pay(String key) {
            return CompletableFuture.completedFuture(calls.incrementAndGet());
        }

        @Async
        @Idempotent(value = "shared", key = "#key")
        public CompletableFuture<Integer> payForAnyone(String key) {
            return CompletableFuture.completedFuture(calls.incrementAndGet());
        }

        @Async
        @Idempotent(key = "#key")
        public void send(String key) {
            sent.release();
        }
    }

    static class ByHeader {

        private final AtomicInteger calls = new AtomicInteger();

        @Async
        @Idempotent(header = "Idempotency-Key")
        public CompletableFuture<Integer> pay() {
            return CompletableFuture.completedFuture(calls.incrementAndGet());
        }
    }

    @Async
    static class OfTheType implements PaymentService {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        @Idempotent(key = "#key")
        public CompletableFuture<Integer> pay(String key) {
            return CompletableFuture.completedFuture(calls.incrementAndGet());
        }
    }

    static class ByMetaAnnotation implements PaymentService {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        @Background
        public CompletableFuture<Integer> pay(String key) {
            return CompletableFuture.completedFuture(calls.incrementAndGet());
        }
    }

    @Async
    @Idempotent(key = "#key")
    @Retention(RetentionPolicy.RUNTIME)
    @interface Background {}
}
