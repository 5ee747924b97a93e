package dev.resilience.spring.reactor;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.function.Supplier;
import org.springframework.util.ClassUtils;
import reactor.util.context.ContextView;

/**
 * Puts on the thread what Micrometer's context propagation, if it is there, finds of thread-locals in Reactor's context:
 * from the thread the call takes them along wherever it goes on.
 */
final class ReactorThreadLocals {

    private static final boolean IS_PRESENT = ClassUtils.isPresent(
            "io.micrometer.context.ContextSnapshotFactory", ReactorThreadLocals.class.getClassLoader());

    private ReactorThreadLocals() {}

    static <T> T in(ContextView context, Supplier<T> action) {
        return IS_PRESENT && !context.isEmpty() ? Propagation.in(context, action) : action.get();
    }

    private static final class Propagation {

        private static final ContextSnapshotFactory SNAPSHOTS =
                ContextSnapshotFactory.builder().build();

        static <T> T in(ContextView context, Supplier<T> action) {
            ContextSnapshot.Scope scope = SNAPSHOTS.setThreadLocalsFrom(context);
            try {
                return action.get();
            } finally {
                scope.close();
            }
        }
    }
}
