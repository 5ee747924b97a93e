package dev.resilience.spring.registry;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * What happens to waits and running calls when an application stops, in the order of the phases: waits end, running calls
 * are waited for, and what has not ended then is interrupted. When it starts again, calls may wait again.
 */
public abstract sealed class ResilienceLifecycle implements SmartLifecycle {

    final LiveRegistry registry;
    private final int phase;
    private volatile boolean running =
            true; // calls are made before the context starts this, and may need it to be stopped

    /** @param phase phases are started in ascending order, and stopped in descending order */
    private ResilienceLifecycle(LiveRegistry registry, int phase) {
        this.registry = registry;
        this.phase = phase;
    }

    /** Lets an application stop the calls of a registry, which is there from now on. An application without one has nothing to stop. */
    public static void register(ConfigurableApplicationContext application, LiveRegistry registry) {
        InterruptWaits first = new InterruptWaits(registry, application);
        application.addApplicationListener(first);
        ConfigurableListableBeanFactory beans = application.getBeanFactory();
        beans.registerSingleton("resilienceInterruptWaits", first);
        beans.registerSingleton("resilienceResumeWaits", new ResumeWaits(registry));
        beans.registerSingleton("resilienceDrain", new Drain(registry));
        beans.registerSingleton("resilienceStopRunning", new StopRunning(registry));
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    @Override
    public final int getPhase() {
        return phase;
    }

    /**
     * Ends all waits as the first thing when the application stops, before the web server waits for its last requests: a
     * request that waits for a retry would hold it up, and may have no time left for the retry.
     *
     * <p>When the context is closed, waits end before other listeners hear of that and before any bean is stopped. When it
     * is only stopped, beans of the same phase, which is the default of {@link SmartLifecycle}, may be stopped before.
     */
    public static final class InterruptWaits extends ResilienceLifecycle
            implements ApplicationListener<ContextClosedEvent>, PriorityOrdered {

        private final ApplicationContext application;

        private InterruptWaits(LiveRegistry registry, ApplicationContext application) {
            super(registry, Integer.MAX_VALUE); // among the first to be stopped
            this.application = application;
        }

        @Override
        public void stop() {
            super.stop();
            registry.stopWaits();
        }

        /** Listeners hear of child contexts, too. */
        @Override
        public void onApplicationEvent(ContextClosedEvent closing) {
            if (closing.getApplicationContext().equals(application)) {
                registry.stopWaits();
            }
        }

        /** Before the listeners of the application, which may take their time. */
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }

    /** Lets calls wait again as the first thing when an application that was stopped is started again. */
    public static final class ResumeWaits extends ResilienceLifecycle {

        private ResumeWaits(LiveRegistry registry) {
            super(registry, Integer.MIN_VALUE); // the first to be started
        }

        @Override
        public void start() {
            registry.resumeWaits();
            super.start();
        }
    }

    /**
     * Lets the calls that run on threads of the library come to their end: in the bulkheads' thread pools, asynchronous
     * calls that have waited in a queue or for their key, and later attempts of asynchronous calls. They are waited for
     * after the web server has answered its last request and before any bean is destroyed, for as long as Boot's {@code
     * spring.lifecycle.timeout-per-shutdown-phase} allows.
     */
    public static final class Drain extends ResilienceLifecycle {

        /** That of Spring's own executors. */
        public static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE;

        private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

        private Drain(LiveRegistry registry) {
            super(registry, PHASE);
        }

        @Override
        public void stop(Runnable callback) {
            stop();
            if (!registry.isAtWork()) {
                callback.run();
                return;
            }
            Thread waiting = new Thread(() -> awaitIdle(callback), "resilience-shutdown");
            waiting.setDaemon(true);
            waiting.start();
        }

        private void awaitIdle(Runnable callback) {
            try {
                while (registry.isAtWork() && !registry.isClosed()) {
                    TimeSource.system()
                            .sleep(BETWEEN_LOOKS); // Boot counts real time here, whatever a test's clock says
                }
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
            } finally {
                callback.run();
            }
        }
    }

    /** Interrupts what was waited for in vain, one phase later, while the beans that calls use are still there. */
    public static final class StopRunning extends ResilienceLifecycle {

        private StopRunning(LiveRegistry registry) {
            super(registry, Drain.PHASE - 1);
        }

        @Override
        public void stop() {
            super.stop();
            registry.stopRunning();
        }
    }
}
