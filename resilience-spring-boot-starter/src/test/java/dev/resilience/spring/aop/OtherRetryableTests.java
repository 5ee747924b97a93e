package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;

/** The two annotations of others that are called {@code @Retryable} as well, and do nothing unless they are enabled. */
class OtherRetryableTests {

    @Test
    void oneThatNothingEnablesIsWarnedAboutWithTheCure() {
        assertThat(Applications.warnings(OfSpring.class))
                .singleElement()
                .asString()
                .contains("OfSpring.call()")
                .contains("@org.springframework.resilience.annotation.Retryable")
                .contains("does nothing", "Import dev.resilience.annotation.Retryable", "[other-retryable]");
        assertThat(Applications.warnings(OfSpringRetry.class))
                .singleElement()
                .asString()
                .contains("@org.springframework.retry.annotation.Retryable");
    }

    @ParameterizedTest
    @ValueSource(classes = {OnType.class, Implementing.class, Inheriting.class})
    void itIsFoundOnTypesInterfacesAndSuperclasses(Class<?> bean) {
        assertThat(Applications.warnings(bean)).singleElement().asString().contains("does nothing");
    }

    @Test
    void oneThatIsEnabledIsNotWarnedAbout() {
        assertThat(Applications.warnings(OfSpring.class, EnabledBySpring.class)).isEmpty();
        assertThat(Applications.warnings(OfSpringRetry.class, EnabledBySpringRetry.class))
                .isEmpty();
    }

    @Test
    void beansOfOneTypeAreOneWarning() {
        assertThat(Applications.warnings(Implementing.class, AnotherImplementing.class))
                .hasSize(1);
    }

    @Test
    void thisLibrarysOwnIsNotWarnedAbout() {
        assertThat(Applications.warnings(Ours.class, ByMeta.class)).isEmpty();
    }

    static class OfSpring {

        @org.springframework.resilience.annotation.Retryable
        public void call() {}
    }

    static class OfSpringRetry {

        @org.springframework.retry.annotation.Retryable
        public void call() {}
    }

    static class Inheriting extends OfSpring {}

    @org.springframework.resilience.annotation.Retryable
    static class OnType {

        public void call() {}
    }

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

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class EnabledBySpring {}

    @Configuration(proxyBeanMethods = false)
    @EnableRetry
    static class EnabledBySpringRetry {}

    static class Ours {

        @Retryable("two")
        public void call() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Retryable("two")
    @interface Patient {}

    static class ByMeta {

        @Patient
        public void call() {}
    }
}
