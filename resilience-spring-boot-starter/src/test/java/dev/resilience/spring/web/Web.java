package dev.resilience.spring.web;

import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** Small web applications for tests, made like those of {@link Applications}. */
final class Web {

    private Web() {}

    static WebApplicationContextRunner application(Class<?>... components) {
        return new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class))
                .withBean(ManualTimeSource.class)
                .withBean(Callee.class)
                .withUserConfiguration(components);
    }

    static void with(Class<?> controller, Use use) {
        application(controller).run(context -> use.with(MockMvcTester.from(context)));
    }

    /** What a test does with an application. */
    interface Use {

        void with(MockMvcTester mvc) throws Throwable;
    }
}
