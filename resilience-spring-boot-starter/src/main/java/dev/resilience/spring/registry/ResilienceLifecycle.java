package dev.resilience.spring.registry;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.function.BooleanSupplier;
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
 * What happens to waits and running calls when an application stops, each in a phase of its own: waits end, running calls
 * are waited for, and what has not ended then is interrupted. When it starts again, calls may wait again.
 */
public final class ResilienceLifecycle implements SmartLifecycle {

    /** That of Spring's own executors. */
    private static final int DRAIN_PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE;

    /** Behind Boot's {@code WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE}, before the web server stops. */
    private static final int GRACE_IS_OVER_PHASE = SmartLifecycle.DEFAULT_PHASE - 1024 - 1;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private final int phase;
    private final Runnable starting;
    private final Runnable stopping;
    private final BooleanSupplier isAtWork;
    private volatile boolean running =
            true; // calls are made before the context starts this, and may need it to be stopped

    /**
     * @param phase phases are started in ascending order, and stopped in descending order
     * @param isAtWork what is waited for when it stops
     */
    private ResilienceLifecycle(int phase, Runnable starting, Runnable stopping, BooleanSupplier isAtWork) {
        this.phase = phase;
        this.starting = starting;
        this.stopping = stopping;
        this.isAtWork = isAtWork;
    }

    /**
     * Lets an application stop the calls of a registry, which is there from now on. An application without one has nothing
     * to stop.
     *
     * <p>Where the web server shuts down gracefully, waits go on until it has waited for its last requests, which may succeed
     * with a retry, or when it has their permit; what is left then ends. Elsewhere waits end as the first thing. When the
     * context is only stopped, beans of the same phase, which is the default of {@link SmartLifecycle}, may be stopped before.
     *
     * <p>Then the calls that run on threads of the library come to their end: in the bulkheads' thread pools, asynchronous
     * calls that have waited in a queue or for their key, and later attempts of asynchronous calls. They are waited for after
     * the web server has answered its last request and before any bean is destroyed, for as long as Boot's {@code
     * spring.lifecycle.timeout-per-shutdown-phase} allows. What was waited for in vain is interrupted one phase later, while
     * the beans that calls use are still there.
     */
    public static void register(ConfigurableApplicationContext application, LiveRegistry registry) {
        ConfigurableListableBeanFactory beans = application.getBeanFactory();
        Runnable stopWaitsUnlessGraceful = () -> {
            if (!isGraceful(application)) {
                registry.stopWaits();
            }
        };
        beans.registerSingleton("resilienceInterruptWaits", of(Integer.MAX_VALUE, () -> {}, stopWaitsUnlessGraceful));
        beans.registerSingleton("resilienceEndOfGrace", of(GRACE_IS_OVER_PHASE, () -> {}, registry::stopWaits));
        application.addApplicationListener(new Closing(application, stopWaitsUnlessGraceful));
        beans.registerSingleton("resilienceResumeWaits", of(Integer.MIN_VALUE, registry::resumeWaits, () -> {}));
        BooleanSupplier isAtWork = () -> registry.isAtWork() && !registry.isClosed();
        beans.registerSingleton("resilienceDrain", new ResilienceLifecycle(DRAIN_PHASE, () -> {}, () -> {}, isAtWork));
        beans.registerSingleton("resilienceStopRunning", of(DRAIN_PHASE - 1, () -> {}, registry::stopRunning));
    }

    /** Asked when the application stops: when this is registered, the web server may still be on its way. */
    private static boolean isGraceful(ApplicationContext application) {
        return application.containsLocalBean("webServerGracefulShutdown")
                && !"immediate".equalsIgnoreCase(application.getEnvironment().getProperty("server.shutdown"));
    }

    private static ResilienceLifecycle of(int phase, Runnable starting, Runnable stopping) {
        return new ResilienceLifecycle(phase, starting, stopping, () -> false);
    }

    @Override
    public void start() {
        starting.run();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        stopping.run();
    }

    @Override
    public void stop(Runnable callback) {
        stop();
        if (!isAtWork.getAsBoolean()) {
            callback.run();
            return;
        }
        Thread waiting = new Thread(() -> awaitIdle(callback), "resilience-shutdown");
        waiting.setDaemon(true);
        waiting.start();
    }

    private void awaitIdle(Runnable callback) {
        try {
            while (isAtWork.getAsBoolean()) {
                TimeSource.system().sleep(BETWEEN_LOOKS); // Boot counts real time here, whatever a test's clock says
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        } finally {
            callback.run();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return phase;
    }

    /** When the context is closed, waits that have no grace end before other listeners hear of that and before any bean is stopped. */
    private record Closing(ApplicationContext application, Runnable stopWaits)
            implements ApplicationListener<ContextClosedEvent>, PriorityOrdered {

        /** Listeners hear of child contexts, too. */
        @Override
        public void onApplicationEvent(ContextClosedEvent closing) {
            if (closing.getApplicationContext().equals(application)) {
                stopWaits.run();
            }
        }

        /** Before the listeners of the application, which may take their time. */
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }
}
