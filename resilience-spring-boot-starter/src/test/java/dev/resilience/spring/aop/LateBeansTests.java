package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.context.annotation.SessionScope;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Beans that do not exist yet when the application has started. */
class LateBeansTests {

    @ParameterizedTest
    @ValueSource(
            classes = {
                BrokenPrototype.class,
                BrokenLazy.class,
                BrokenInRequest.class,
                BrokenInSession.class,
                BrokenInRequestWithoutProxy.class
            })
    void whatCannotWorkFailsTheStartAllTheSame(Class<?> component) {
        web().withUserConfiguration(component)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining("'missing'"));
    }

    @Test
    void aLazyApplicationIsCheckedAtItsStartToo() {
        Applications.plain(Broken.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining("'missing'"));
    }

    @Test
    void aBeanInRequestScopeIsProtectedOnceAndNotByItsScopedProxyToo() {
        web().withUserConfiguration(Cart.class).run(context -> {
            RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
            try {
                Cart cart = context.getBean(Cart.class);
                assertThat(context.getBean(Callee.class).attemptsOf(cart::checkOut))
                        .isEqualTo(3);
            } finally {
                RequestContextHolder.resetRequestAttributes();
            }
            assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "default"))
                    .containsExactly("Cart.checkOut()");
        });
    }

    @Test
    void theirMethodsAreKnownFromTheStart() {
        Applications.plain(LazyShop.class)
                .run(context -> assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "two"))
                        .containsExactly("LazyShop.sell()"));
    }

    private static WebApplicationContextRunner web() {
        return new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withPropertyValues("resilience.retry.default.backoff.base-delay=0")
                .withBean(Callee.class);
    }

    static class Broken {

        @Retryable("missing")
        public void call() {}
    }

    @Scope("prototype")
    static class BrokenPrototype extends Broken {}

    @Lazy
    static class BrokenLazy extends Broken {}

    @RequestScope
    static class BrokenInRequest extends Broken {}

    @SessionScope
    static class BrokenInSession extends Broken {}

    @Scope(value = "request", proxyMode = ScopedProxyMode.NO)
    static class BrokenInRequestWithoutProxy extends Broken {}

    @RequestScope
    static class Cart {

        @Autowired
        Callee callee;

        @Retryable("default")
        public String checkOut() throws ConnectException {
            return callee.call();
        }
    }

    @Lazy
    static class LazyShop {

        @Retryable("two")
        public void sell() {}
    }
}
