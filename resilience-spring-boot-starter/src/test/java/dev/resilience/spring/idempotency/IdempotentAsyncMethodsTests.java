package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** An {@code @Async} method runs on a thread that knows neither its caller nor its request, so it cannot be idempotent. */
class IdempotentAsyncMethodsTests {

    private static void assertRefused(ApplicationContextRunner runner, Class<?> type) {
        runner.withBean(type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining(type.getSimpleName() + ".pay(java.lang.String)")
                        .hasMessageContaining("@Async"));
    }

    @ParameterizedTest
    @ValueSource(classes = {OfTheMethod.class, OfTheType.class, ByMetaAnnotation.class, OfNothing.class})
    void areRefusedHoweverAsyncIsWritten(Class<?> type) {
        assertRefused(IdempotentApplication.runner().withUserConfiguration(AsyncOutside.class), type);
    }

    @ParameterizedTest
    @ValueSource(classes = {AsyncInside.class, Woven.class})
    void areRefusedOnWhicheverSideAsyncStands(Class<?> configuration) {
        assertRefused(IdempotentApplication.runner().withUserConfiguration(configuration), OfTheMethod.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {ByOwnAnnotation.class, ByOwnAnnotationInside.class})
    void areRefusedWhereAnnotationsOfTheApplicationMoveThem(Class<?> configuration) {
        assertRefused(IdempotentApplication.runner().withUserConfiguration(configuration), Moved.class);
    }

    @ParameterizedTest
    @ValueSource(classes = {OfTheMethod.class, Moved.class})
    void areRefusedWhereAsyncIsAProxyOfItsOwn(Class<?> type) {
        assertRefused(IdempotentApplication.runner().withUserConfiguration(ByOwnAnnotation.class, Opaque.class), type);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncOutside {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(order = Ordered.HIGHEST_PRECEDENCE)
    static class AsyncInside {}

    /** As {@code @EnableAsync(mode = ASPECTJ)}, of which no proxy has advice. */
    @Configuration(proxyBeanMethods = false)
    static class Woven {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(annotation = InBackground.class)
    static class ByOwnAnnotation {}

    @Configuration(proxyBeanMethods = false)
    @EnableAsync(annotation = InBackground.class, order = Ordered.HIGHEST_PRECEDENCE)
    static class ByOwnAnnotationInside {}

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

    static class OfTheMethod {

        @Async
        @Idempotent(key = "#key")
        public CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    @Async
    static class OfTheType {

        @Idempotent(key = "#key")
        public CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    static class ByMetaAnnotation {

        @InBackgroundOnce
        public CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    static class OfNothing {

        @Async
        @Idempotent(key = "#key")
        public void pay(String key) {}
    }

    static class Moved {

        @InBackground
        @Idempotent(key = "#key")
        public CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    @Async
    @Idempotent(key = "#key")
    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackgroundOnce {}

    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}
}
