package dev.resilience.spring.lifecycle;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Lets the calls that run on threads of the library come to their end when the application stops: in the bulkheads'
 * thread pools, asynchronous calls that have waited in a queue or for their key, and later attempts of asynchronous calls. They
 * are waited for after the web server has answered its last request and before any bean is destroyed, for
 * as long as Boot's {@code spring.lifecycle.timeout-per-shutdown-phase} allows. What has not ended then is stopped by
 * {@link BulkheadStopLifecycle}.
 */
public final class BulkheadDrainLifecycle extends LifecyclePhase implements DisposableBean {

    /** That of Spring's own executors. */
    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private volatile boolean destroyed;

    public BulkheadDrainLifecycle(LiveRegistry registry) {
        super(registry, PHASE);
    }

    @Override
    public void stop(Runnable callback) {
        stop();
        if (areIdle()) {
            callback.run();
            return;
        }
        Thread waiting = new Thread(() -> awaitIdle(callback), "resilience-shutdown");
        waiting.setDaemon(true);
        waiting.start();
    }

    private void awaitIdle(Runnable callback) {
        try {
            while (!areIdle() && !destroyed) {
                TimeSource.system().sleep(BETWEEN_LOOKS); // Boot counts real time here, whatever a test's clock says
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        } finally {
            callback.run();
        }
    }

    private boolean areIdle() {
        return !registry.isAtWork();
    }

    @Override
    public void destroy() {
        destroyed = true;
    }
}
