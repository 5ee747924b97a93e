package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.web.ResilienceExceptionHandler;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** Refusals that leave a controller become problem details. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnBean(ResilienceRegistry.class)
public final class ResilienceWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ResilienceExceptionHandler resilienceExceptionHandler() {
        return new ResilienceExceptionHandler();
    }
}
