package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.web.DeadlineHeader;
import dev.resilience.spring.web.DeadlineTrust;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** How deadlines are read from requests and written to them. */
@Configuration(proxyBeanMethods = false)
final class ResilienceDeadlineConfiguration {

    @Bean
    DeadlineHeader resilienceDeadlineHeader(Environment environment, StartupMistakes mistakes) {
        ResilienceProperties.Deadline deadline =
                GeneralProperties.read(environment).deadline();
        Duration margin = deadline.margin();
        String name = deadline.header();
        boolean hasMargin = GeneralProperties.require(
                !margin.isZero() && !margin.isNegative(),
                mistakes,
                environment,
                "resilience.deadline.margin",
                margin,
                "must be longer than zero");
        boolean hasName = GeneralProperties.require(
                name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"),
                mistakes,
                environment,
                "resilience.deadline.header",
                name,
                "must be the name of a header, such as X-Request-Deadline-Ms");
        ResilienceProperties.Deadline defaults = ResilienceProperties.defaults().deadline();
        return new DeadlineHeader(hasName ? name : defaults.header(), hasMargin ? margin : defaults.margin());
    }

    @Bean
    DeadlineTrust resilienceDeadlineTrust(Environment environment, StartupMistakes mistakes) {
        ResilienceProperties.Deadline deadline =
                GeneralProperties.read(environment).deadline();
        Duration minimum = deadline.minimum();
        boolean isDuration = GeneralProperties.require(
                !minimum.isNegative(),
                mistakes,
                environment,
                "resilience.deadline.minimum",
                minimum,
                "must be zero or longer");
        return new DeadlineTrust(deadline.fromRequests(), isDuration ? minimum : Duration.ZERO);
    }
}
