package dev.resilience.spring;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Refuses a Spring Boot that is too old, with the cure, before a bean definition is read: the auto-configurations would
 * fail there with a {@link NoClassDefFoundError}.
 *
 * <p>For this reason it uses classes that Spring Boot 2 and 3 have as well, in the packages where they are today. An
 * initializer is the one extension of that kind whose key in {@code spring.factories} has never changed.
 */
final class SpringBootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {

    private static final int OLDEST = 4;
    private static final Pattern MAJOR = Pattern.compile("(\\d{1,9})\\..*");

    private final @Nullable String version;

    @SuppressWarnings("unused") // made by Spring, as spring.factories says
    public SpringBootVersionCheck() {
        this(SpringBootVersion.getVersion());
    }

    public SpringBootVersionCheck(@Nullable String version) {
        this.version = version;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (isTooOld() && isEnabled(context)) {
            throw new ResilienceConfigurationException(
                    "resilience-spring-boot-starter does not run on Spring Boot " + version
                            + ": it needs Spring Boot 4.0 or later.",
                    "Update the application to Spring Boot 4.0 or later, or remove the dependency "
                            + "'dev.resilience:resilience-spring-boot-starter'. With 'resilience.enabled: false' the "
                            + "application starts, and its methods are not protected.");
        }
    }

    /** A version that is unknown, or of an unknown form, is given the benefit of the doubt. */
    private boolean isTooOld() {
        Matcher major = MAJOR.matcher(String.valueOf(version));
        return major.matches() && Integer.parseInt(major.group(1)) < OLDEST;
    }

    private static boolean isEnabled(ConfigurableApplicationContext context) {
        return Binder.get(context.getEnvironment())
                .bind("resilience.enabled", Boolean.class)
                .orElse(true);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
