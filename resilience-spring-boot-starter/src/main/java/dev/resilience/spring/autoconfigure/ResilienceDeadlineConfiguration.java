package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.web.DeadlineHeader;
import dev.resilience.spring.web.DeadlineTrust;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How deadlines are read from requests and written to them. */
@Configuration(proxyBeanMethods = false)
final class ResilienceDeadlineConfiguration {

    @Bean
    DeadlineHeader resilienceDeadlineHeader(CheckedProperties resilienceCheckedProperties) {
        ResilienceProperties.Deadline deadline =
                resilienceCheckedProperties.written().deadline();
        Duration margin = deadline.margin();
        String name = deadline.header();
        boolean hasMargin = resilienceCheckedProperties.require(
                !margin.isZero() && !margin.isNegative(),
                "resilience.deadline.margin",
                margin,
                "must be longer than zero");
        boolean hasName = resilienceCheckedProperties.require(
                name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"),
                "resilience.deadline.header",
                name,
                "must be the name of a header, such as X-Request-Deadline-Ms");
        ResilienceProperties.Deadline defaults = ResilienceProperties.defaults().deadline();
        return new DeadlineHeader(hasName ? name : defaults.header(), hasMargin ? margin : defaults.margin());
    }

    @Bean
    DeadlineTrust resilienceDeadlineTrust(CheckedProperties resilienceCheckedProperties) {
        ResilienceProperties.Deadline deadline =
                resilienceCheckedProperties.written().deadline();
        Duration minimum = deadline.minimum();
        boolean isDuration = resilienceCheckedProperties.require(
                !minimum.isNegative(), "resilience.deadline.minimum", minimum, "must be zero or longer");
        return new DeadlineTrust(deadline.fromRequests(), isDuration ? minimum : Duration.ZERO);
    }
}
