package dev.resilience.context;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Carries the MDC, and the context class loader: what goes on elsewhere must find the classes that it would find here. */
final class StandardCarrier implements ContextCarrier {

    static final StandardCarrier INSTANCE = new StandardCarrier();

    private StandardCarrier() {}

    @Override
    public Runnable wrap(Runnable task) {
        Map<String, String> mdc = MDC.getCopyOfContextMap();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return () -> {
            Thread thread = Thread.currentThread();
            Map<String, String> mdcBefore = MDC.getCopyOfContextMap();
            ClassLoader loaderBefore = thread.getContextClassLoader();
            put(mdc);
            thread.setContextClassLoader(loader);
            try {
                task.run();
            } finally {
                thread.setContextClassLoader(loaderBefore);
                put(mdcBefore);
            }
        };
    }

    private static void put(@Nullable Map<String, String> mdc) {
        if (mdc == null || mdc.isEmpty()) {
            MDC.clear();
        } else {
            MDC.setContextMap(mdc);
        }
    }
}
