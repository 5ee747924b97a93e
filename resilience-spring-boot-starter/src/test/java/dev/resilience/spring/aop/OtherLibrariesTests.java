package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.check.ApplicationClasses;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.bulkhead.ThreadPoolBulkheadRegistry;
import io.github.resilience4j.ratelimiter.annotation.RateLimiter;
import io.github.resilience4j.spring6.bulkhead.configure.BulkheadAspect;
import io.github.resilience4j.spring6.bulkhead.configure.BulkheadConfigurationProperties;
import io.github.resilience4j.spring6.fallback.FallbackExecutor;
import io.github.resilience4j.spring6.fallback.configure.FallbackConfiguration;
import io.github.resilience4j.spring6.spelresolver.SpelResolver;
import io.github.resilience4j.spring6.spelresolver.configure.SpelResolverConfiguration;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.eclipse.microprofile.faulttolerance.Timeout;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.CircuitBreaker;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Recover;
import org.springframework.samples.shop.SampleShop;

/** Other libraries' annotations that nothing enables are told at startup. */
public class OtherLibrariesTests {

    private static final String NAME = OtherLibrariesTests.class.getName() + "$";

    @Test
    void springsAnnotationsThatNothingEnablesAreWarnedOf() {
        assertThat(warnings(OfSpring.class))
                .containsExactlyInAnyOrder(
                        "The method " + NAME + "OfSpring.retried() has @org.springframework.resilience.annotation."
                                + "Retryable, which does nothing: nothing enables it. Import "
                                + "dev.resilience.annotation.Retryable in its place, or put @EnableResilientMethods on a "
                                + "configuration class",
                        "The method " + NAME + "OfSpring.limited() has @org.springframework.resilience.annotation."
                                + "ConcurrencyLimit, which does nothing: nothing enables it. Import "
                                + "dev.resilience.annotation.Bulkhead in its place, or put @EnableResilientMethods on a "
                                + "configuration class",
                        "The method " + NAME + "OfSpring.withFallback() has @org.springframework.context.annotation."
                                + "Fallback, which does nothing: it is for beans, not for their methods. Import "
                                + "dev.resilience.annotation.Fallback in its place");
    }

    @Test
    void springsAnnotationsThatAreEnabledAreNot() {
        assertThat(warnings(OfSpring.class, EnabledBySpring.class))
                .singleElement()
                .asString()
                .contains("Fallback");
    }

    @Test
    void springsPostProcessorsOfAParentContextEnableNothing() {
        withParent(EnabledBySpring.class, CountsAttempts.class, context -> {
            assertThat(attempts(context.getBean(CountsAttempts.class)::ofSpring))
                    .isEqualTo(1);
            assertThat(context.getBean(StartupWarnings.class).all())
                    .anyMatch(warning -> warning.contains("CountsAttempts.ofSpring"));
        });
    }

    @Test
    void springRetrysAdvisorOfAParentContextEnablesItsAnnotations() {
        withParent(EnabledBySpringRetry.class, CountsAttempts.class, context -> {
            assertThat(attempts(context.getBean(CountsAttempts.class)::ofSpringRetry))
                    .isEqualTo(3);
            assertThat(context.getBean(StartupWarnings.class).all())
                    .noneMatch(warning -> warning.contains("CountsAttempts.ofSpringRetry"));
        });
    }

    private static void withParent(
            Class<?> parent, Class<?> bean, ContextConsumer<AssertableApplicationContext> consumer) {
        try (var parents = new AnnotationConfigApplicationContext(parent)) {
            Applications.plain(bean).withParent(parents).run(consumer);
        }
    }

    private static int attempts(Function<AtomicInteger, ?> method) {
        AtomicInteger attempts = new AtomicInteger();
        assertThatThrownBy(() -> method.apply(attempts)).isInstanceOf(IllegalStateException.class);
        return attempts.get();
    }

    @Test
    void anApplicationBelowSpringsPackagesIsLookedAt() {
        assertThat(warnings(SampleShop.class))
                .hasSize(2)
                .anyMatch(warning -> warning.contains("SampleShop.order(java.lang.String) has @org.springframework"))
                .anyMatch(warning -> warning.contains("is called through 'this' by order()"));
    }

    @Test
    void whatAutoConfigurationPackagesContainIsTheApplications() {
        Class<?> ofSpring = org.springframework.util.StringUtils.class;
        var beans = new DefaultListableBeanFactory();
        assertThat(new ApplicationClasses(beans).contains(ofSpring)).isFalse();

        AutoConfigurationPackages.register(beans, "org.springframework.util");

        assertThat(new ApplicationClasses(beans).contains(ofSpring)).isTrue();
        assertThat(new ApplicationClasses(beans).contains(DefaultListableBeanFactory.class))
                .isFalse();
        assertThat(new ApplicationClasses(beans).contains(String.class)).isFalse();
    }

    @Test
    void springsFallbackForBeansIsNot() {
        assertThat(warnings(FallbackBeans.class, LastChoice.class)).isEmpty();
    }

    @Test
    void springRetrysAnnotationsThatNothingEnablesAreWarnedOf() {
        assertThat(warnings(OfSpringRetry.class))
                .hasSize(3)
                .allMatch(warning -> warning.contains("put @EnableRetry on a configuration class"))
                .anyMatch(warning -> warning.contains("OfSpringRetry.call() has "
                        + "@org.springframework.retry.annotation.Retryable, which does nothing"))
                .anyMatch(warning -> warning.contains("Import dev.resilience.annotation.CircuitBreaker"))
                .anyMatch(warning -> warning.contains("Import dev.resilience.annotation.Fallback"));
        assertThat(warnings(OfSpringRetry.class, EnabledBySpringRetry.class)).isEmpty();
    }

    @Test
    void resilience4jsAnnotationsThatNothingEnablesAreWarnedOf() {
        assertThat(warnings(OfResilience4j.class))
                .hasSize(2)
                .allMatch(warning -> warning.contains("add io.github.resilience4j:resilience4j-spring-boot4"))
                .anyMatch(warning -> warning.contains("OfResilience4j.call() has "
                        + "@io.github.resilience4j.bulkhead.annotation.Bulkhead, which does nothing"))
                .anyMatch(
                        warning -> warning.contains("RateLimiter, which does nothing: nothing enables it. Remove it"));
    }

    @Test
    void resilience4jsAnnotationsThatAnAspectEnablesAreNot() {
        assertThat(warnings(OfResilience4j.class, EnabledByResilience4j.class))
                .singleElement()
                .asString()
                .contains("RateLimiter");
    }

    @Test
    void microProfilesAnnotationsAreWarnedOf() {
        assertThat(warnings(OfMicroProfile.class))
                .containsExactly("The method " + NAME + "OfMicroProfile.call() has "
                        + "@org.eclipse.microprofile.faulttolerance.Timeout, which does nothing: nothing in Spring knows "
                        + "it. Import dev.resilience.annotation.TimeLimit in its place");
    }

    @Test
    void annotationsAreFoundOnTypesInterfacesSuperclassesAndAnnotations() {
        assertThat(warnings(OnType.class))
                .singleElement()
                .asString()
                .startsWith("The type " + NAME + "OnType has @org");
        assertThat(warnings(Implementing.class))
                .singleElement()
                .asString()
                .startsWith("The method " + NAME + "Port.fetch() has @org");
        assertThat(warnings(Inheriting.class))
                .singleElement()
                .asString()
                .startsWith("The method " + NAME + "OnMethod.call() has @org");
        assertThat(warnings(ByMeta.class)).singleElement().asString().contains("ByMeta.call() has @org");
    }

    @Test
    void beansThatAreMadeLaterAreLookedAtToo() {
        assertThat(warnings(LazyBean.class)).hasSize(1);
    }

    @Test
    void manyBeansOfOneTypeAreWarnedOfOnce() {
        assertThat(warnings(Implementing.class, AnotherImplementing.class)).hasSize(1);
    }

    @Test
    void thisLibrarysAnnotationsAreNot() {
        assertThat(warnings(Ours.class)).isEmpty();
    }

    public static List<String> warnings(Class<?>... components) {
        List<String> warnings = new ArrayList<>();
        Applications.plain(components).run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    static class OfSpring {

        @org.springframework.resilience.annotation.Retryable
        public void retried() {}

        @ConcurrencyLimit(3)
        public void limited() {}

        @Fallback
        public void withFallback() {}
    }

    static class CountsAttempts {

        @org.springframework.resilience.annotation.Retryable(delay = 0)
        public String ofSpring(AtomicInteger attempts) {
            throw new IllegalStateException("attempt " + attempts.incrementAndGet());
        }

        @org.springframework.retry.annotation.Retryable(backoff = @Backoff(delay = 0))
        public String ofSpringRetry(AtomicInteger attempts) {
            throw new IllegalStateException("attempt " + attempts.incrementAndGet());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class EnabledBySpring {}

    @Configuration(proxyBeanMethods = false)
    static class FallbackBeans {

        @Bean
        @Fallback
        StringBuilder text() {
            return new StringBuilder();
        }
    }

    @Fallback
    static class LastChoice {}

    static class OfSpringRetry {

        @org.springframework.retry.annotation.Retryable
        public void call() {}

        @CircuitBreaker
        public void call(String argument) {}

        @Recover
        public void recover(Exception failure) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRetry
    static class EnabledBySpringRetry {}

    static class OfResilience4j {

        @io.github.resilience4j.bulkhead.annotation.Bulkhead(name = "orders")
        @RateLimiter(name = "orders")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    @Import({SpelResolverConfiguration.class, FallbackConfiguration.class})
    static class EnabledByResilience4j {

        @Bean
        BulkheadAspect bulkheadAspect(FallbackExecutor fallbacks, SpelResolver spel) {
            return new BulkheadAspect(
                    new BulkheadConfigurationProperties(),
                    ThreadPoolBulkheadRegistry.ofDefaults(),
                    BulkheadRegistry.ofDefaults(),
                    List.of(),
                    fallbacks,
                    spel);
        }
    }

    static class OfMicroProfile {

        @Timeout
        public void call() {}
    }

    @org.springframework.resilience.annotation.Retryable
    static class OnType {

        public void call() {}
    }

    static class OnMethod {

        @org.springframework.resilience.annotation.Retryable
        public void call() {}
    }

    static class Inheriting extends OnMethod {}

    interface Port {

        @org.springframework.resilience.annotation.Retryable
        void fetch();
    }

    static class Implementing implements Port {

        @Override
        public void fetch() {}
    }

    static class AnotherImplementing implements Port {

        @Override
        public void fetch() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @org.springframework.resilience.annotation.Retryable
    @interface Patient {}

    static class ByMeta {

        @Patient
        public void call() {}
    }

    @Lazy
    static class LazyBean extends OnMethod {}

    static class Ours {

        @Retryable("two")
        public void call() {}
    }
}
