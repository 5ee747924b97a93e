package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.core.env.StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

import dev.resilience.spring.SortedOnce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.DefaultResourceLoader;

/** Starts real applications from real YAML files and reads what those that do not start print. */
@ExtendWith(OutputCaptureExtension.class)
abstract class FailingStartup {

    private static final Pattern PRINTED = Pattern.compile(
            "APPLICATION FAILED TO START\\R\\*+\\R+Description:\\R+(.*?)\\R+Action:\\R+(.*)", Pattern.DOTALL);

    private static final Class<?>[] AUTO_CONFIGURATIONS = Configurations.getClasses(SortedOnce.of(
            AopAutoConfiguration.class,
            PropertyPlaceholderAutoConfiguration.class,
            LifecycleAutoConfiguration.class,
            JacksonAutoConfiguration.class,
            ResilienceAutoConfiguration.class));

    @TempDir
    Path directory;

    private CapturedOutput output;
    private Class<?>[] hidden = {};
    private Map<String, Object> variables = Map.of();

    @BeforeEach
    void capture(CapturedOutput captured) {
        output = captured;
    }

    /** Starts the next application as if these classes were not on its class path. Beans must be public then. */
    final void hide(Class<?>... classes) {
        hidden = classes;
    }

    /** Sets the environment variables of the next application. */
    final void environment(Map<String, Object> variables) {
        this.variables = variables;
    }

    /** Starts an application that must start. */
    final ConfigurableApplicationContext start(String yaml, Class<?>... beans) {
        return application(beans).run(arguments(yaml));
    }

    /** Starts an application that must not start, and reads why. */
    final Printed fail(String yaml, Class<?>... beans) {
        int before = output.getOut().length();
        SpringApplication application = application(beans);
        assertThatThrownBy(() -> application.run(arguments(yaml)).close()).isNotNull();
        String text = output.getOut().substring(before);
        Matcher matcher = PRINTED.matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return new Printed(matcher.group(1), matcher.group(2).strip());
    }

    /** As {@link #fail(String, Class[])}, for an application without properties. */
    final Printed fail(Class<?>... beans) {
        return fail("", beans);
    }

    /** An application of these beans, before it has any properties. */
    final SpringApplication application(Class<?>... beans) {
        SpringApplication application = new SpringApplication(
                hidden.length == 0 ? null : new DefaultResourceLoader(new FilteredClassLoader(hidden)),
                Stream.concat(Stream.of(beans), Stream.of(AUTO_CONFIGURATIONS)).toArray(Class<?>[]::new));
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        application.setListeners(application.getListeners().stream()
                .filter(listener ->
                        !(listener instanceof LoggingApplicationListener)) // it would set up the log each time
                .toList());
        application.addInitializers(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)));
        return application;
    }

    private String[] arguments(String yaml) {
        try {
            Path file = Files.writeString(directory.resolve("application.yaml"), yaml);
            return new String[] {"--spring.config.location=" + file.toUri(), "--spring.main.banner-mode=off"};
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** What stands under "Description" and "Action". */
    record Printed(String description, String action) {

        Printed says(String... parts) {
            assertThat(description).contains(parts);
            return this;
        }

        Printed advises(String... parts) {
            assertThat(action).contains(parts);
            return this;
        }

        /** Names the property as a key, its value as written, and the line of the file. */
        Printed blames(String property, String value, int line) {
            assertThat(description)
                    .contains("Property: " + property + "\n")
                    .containsAnyOf("Value: " + value + "\n", "Value: \"" + value + "\"\n");
            assertThat(description).containsPattern("Origin: .*application\\.yaml.* - " + line + ":\\d+");
            return this;
        }

        /** Names the class and the method. */
        Printed blames(Class<?> type, String method) {
            assertThat(description).contains(type.getName() + "." + method);
            return this;
        }
    }
}
