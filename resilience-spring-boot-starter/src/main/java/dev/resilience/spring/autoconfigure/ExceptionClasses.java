package dev.resilience.spring.autoconfigure;

import dev.resilience.policy.Require;
import java.util.List;

/** Binding knows that a list holds classes, but not that they must be exceptions. */
final class ExceptionClasses {

    private ExceptionClasses() {}

    static List<Class<? extends Throwable>> checked(String key, List<Class<? extends Throwable>> classes) {
        Require.none(
                key,
                classes.stream()
                        .filter(type -> !Throwable.class.isAssignableFrom(type))
                        .map(Class::getName)
                        .toList(),
                "must be an exception class");
        return classes;
    }
}
