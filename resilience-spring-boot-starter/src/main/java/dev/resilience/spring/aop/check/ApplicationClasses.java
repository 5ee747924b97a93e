package dev.resilience.spring.aop.check;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.util.ClassUtils;

/**
 * Which classes are not those of Java or Spring. An application may have its own below Spring's packages, as Spring's
 * samples have: what its auto-configuration packages contain is always its own.
 */
public final class ApplicationClasses {

    private static final String SAMPLES = "org.springframework.samples.";

    private final List<String> packages;

    public ApplicationClasses(BeanFactory beans) {
        this.packages = AutoConfigurationPackages.has(beans) ? AutoConfigurationPackages.get(beans) : List.of();
    }

    /** The class and everything of the application that it inherits code from. */
    public Set<Class<?>> hierarchy(Class<?> type) {
        Set<Class<?>> classes = new HashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            classes.add(at);
        }
        classes.removeIf(at -> !contains(at));
        return classes;
    }

    public boolean contains(Class<?> type) {
        String name = type.getName();
        boolean isOfSpring = name.startsWith("org.springframework.") && !name.startsWith(SAMPLES);
        return !name.startsWith("java.")
                && (!isOfSpring || packages.stream().anyMatch(own -> name.startsWith(own + ".")));
    }
}
