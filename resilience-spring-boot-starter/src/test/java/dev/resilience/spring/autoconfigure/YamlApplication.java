package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Applications that are configured by a YAML file. */
public final class YamlApplication {

    private YamlApplication() {}

    static ApplicationContextRunner of(Path directory, String yaml) {
        return withoutResilience(directory, yaml)
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        PropertyPlaceholderAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        ResilienceAutoConfiguration.class));
    }

    static ApplicationContextRunner withoutResilience(Path directory, String yaml) {
        try {
            Path file = Files.writeString(directory.resolve("application.yaml"), yaml);
            return new ApplicationContextRunner()
                    .withInitializer(new ConfigDataApplicationContextInitializer())
                    .withPropertyValues("spring.config.location=" + file.toUri());
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** The live objects of an application. */
    public static ResilienceRegistry registry(Path directory, String yaml, Class<?>... beans) {
        return registry(of(directory, yaml).withUserConfiguration(beans));
    }

    /** The live objects of an application that has environment variables too. */
    public static ResilienceRegistry registry(Path directory, String yaml, Map<String, Object> variables) {
        return registry(of(directory, yaml).withInitializer(context -> {
            String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
            context.getEnvironment()
                    .getPropertySources()
                    .replace(name, new SystemEnvironmentPropertySource(name, variables));
        }));
    }

    private static ResilienceRegistry registry(ApplicationContextRunner runner) {
        ResilienceRegistry[] registry = new ResilienceRegistry[1];
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            registry[0] = context.getBean(ResilienceRegistry.class);
        });
        return registry[0];
    }
}
