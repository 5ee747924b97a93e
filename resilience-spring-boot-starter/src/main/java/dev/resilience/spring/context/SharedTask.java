package dev.resilience.spring.context;

import java.lang.ref.WeakReference;
import java.util.function.Supplier;

/**
 * Remembers what a carrier has made of the last task whose caller has nothing to take along. Many waiting calls have the
 * same task, so that it is wrapped once and not for each call. Holds it weakly, because it must not keep a class loader
 * alive. Safe for use by many threads.
 */
final class SharedTask {

    private volatile WeakReference<Carried> last = new WeakReference<>(null);

    /** @param carried what runs the task without what its thread has; made only if it is not that of the last task */
    Runnable of(Runnable task, Supplier<Runnable> carried) {
        Carried known = last.get();
        if (known != null && known.task == task) {
            return known;
        }
        Carried made = new Carried(task, carried.get());
        if (known == null) { // otherwise tasks differ, and there is nothing to share
            last = new WeakReference<>(made);
        }
        return made;
    }

    private record Carried(Runnable task, Runnable withTask) implements Runnable {

        @Override
        public void run() {
            withTask.run();
        }
    }
}
