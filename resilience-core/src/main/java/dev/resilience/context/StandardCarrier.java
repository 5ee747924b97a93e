package dev.resilience.context;

import java.lang.ref.WeakReference;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Carries the MDC, and the context class loader: what goes on elsewhere must find the classes that it would find here. */
final class StandardCarrier implements ContextCarrier {

    static final StandardCarrier INSTANCE = new StandardCarrier();

    /** The last task that had no MDC to take along: the next one is often the same. Weak, for the sake of class loaders. */
    private volatile WeakReference<Carried> lastWithoutMdc = new WeakReference<>(null);

    /** For tests; all others share the one. */
    StandardCarrier() {}

    @Override
    public Runnable wrap(Runnable task) {
        Map<String, String> mdc = MDC.getCopyOfContextMap();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return mdc == null || mdc.isEmpty() ? withoutMdc(loader, task) : new Carried(mdc, loader, task);
    }

    private Runnable withoutMdc(@Nullable ClassLoader loader, Runnable task) {
        Carried last = lastWithoutMdc.get();
        if (last != null && last.task == task && last.loader == loader) {
            return last;
        }
        Carried carried = new Carried(null, loader, task);
        if (last == null || last.task == task) { // otherwise tasks differ, and there is nothing to share
            lastWithoutMdc = new WeakReference<>(carried);
        }
        return carried;
    }

    private static void put(@Nullable Map<String, String> mdc) {
        if (mdc == null || mdc.isEmpty()) {
            MDC.clear();
        } else {
            MDC.setContextMap(mdc);
        }
    }

    private record Carried(
            @Nullable Map<String, String> mdc, @Nullable ClassLoader loader, Runnable task) implements Runnable {

        @Override
        public void run() {
            Map<String, String> mdcBefore = MDC.getCopyOfContextMap();
            try {
                ContextClassLoader.with(loader, this::withMdc);
            } finally {
                put(mdcBefore);
            }
        }

        private void withMdc() {
            put(mdc);
            task.run();
        }
    }
}
