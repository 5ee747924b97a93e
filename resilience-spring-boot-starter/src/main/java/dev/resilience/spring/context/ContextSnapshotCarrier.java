package dev.resilience.spring.context;

import dev.resilience.context.ContextCarrier;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContextThreadLocalAccessor;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Takes along what Micrometer's context propagation has an accessor for: observations, traces, baggage; and what Spring
 * binds to threads without one: request, language, and the security context. What the caller does not have is not there
 * either.
 */
public final class ContextSnapshotCarrier implements ContextCarrier {

    @Override
    public Runnable wrap(Runnable task) {
        Runnable inner = Snapshots.OF_SPRING.captureAll().wrap(task);
        return Snapshots.OF_APPLICATION.captureAll().wrap(inner);
    }

    /** Made with the first call that goes on elsewhere, because the search for accessors takes time at startup. */
    private static final class Snapshots {

        private static final ClassLoader LOADER = ContextSnapshotCarrier.class.getClassLoader();

        /** Of what the application's registry knows. */
        static final ContextSnapshotFactory OF_APPLICATION = of(ContextRegistry.getInstance());

        /** Of what Spring binds to threads. */
        static final ContextSnapshotFactory OF_SPRING = of(ofSpring());

        private static ContextSnapshotFactory of(ContextRegistry registry) {
            return ContextSnapshotFactory.builder()
                    .contextRegistry(registry)
                    .clearMissing(true)
                    .build();
        }

        private static ContextRegistry ofSpring() {
            ContextRegistry spring = new ContextRegistry();
            spring.registerThreadLocalAccessor(new LocaleContextThreadLocalAccessor());
            if (ClassUtils.isPresent("org.springframework.web.context.request.RequestContextHolder", LOADER)) {
                // Spring's accessor hands out a copy, whose scoped beans are others.
                spring.registerThreadLocalAccessor(
                        "request",
                        RequestContextHolder::getRequestAttributes,
                        RequestContextHolder::setRequestAttributes,
                        RequestContextHolder::resetRequestAttributes);
            }
            if (ClassUtils.isPresent("org.springframework.security.core.context.SecurityContextHolder", LOADER)) {
                spring.registerThreadLocalAccessor(
                        "security",
                        SecurityContextCopy::ofThread,
                        SecurityContextHolder::setContext,
                        SecurityContextHolder::clearContext);
            }
            return spring;
        }
    }

    /** Copies Spring Security's context, because filters change the one of their thread afterwards, at a logout for example. */
    private static final class SecurityContextCopy {

        private SecurityContextCopy() {}

        /** The context of this thread, or a copy if it is of Spring's own class; {@code null} if no caller is in it. */
        static @Nullable SecurityContext ofThread() {
            SecurityContext original = SecurityContextHolder.getContext();
            SecurityContext copy = SecurityContextHolder.createEmptyContext();
            if (copy.getClass() != original.getClass()) {
                return original;
            }
            copy.setAuthentication(original.getAuthentication());
            return original.getAuthentication() == null ? null : copy;
        }
    }
}
