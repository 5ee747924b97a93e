package dev.resilience.spring.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Annotations that are found as meta-annotations with other attributes are proxies: a native image must have them. */
final class AnnotationHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        Protection.ANNOTATIONS.forEach(annotation -> hints.proxies().registerJdkProxy(annotation));
    }
}
