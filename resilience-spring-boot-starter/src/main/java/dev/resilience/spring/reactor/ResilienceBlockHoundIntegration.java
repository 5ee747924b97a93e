package dev.resilience.spring.reactor;

import dev.resilience.time.ShortLock;
import dev.resilience.time.WorkerThreads;
import io.micrometer.context.ContextRegistry;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, where an application uses it, which locks a thread that must not block may wait for: they are held for
 * a few steps. Such locks are those of the JDK's queues: of timers, from which a cancelled timer is taken out, as Reactor
 * allows it for its own, and of a pool's tasks. An error that BlockHound throws inside a lock leaves it unusable, so that no
 * timer would go off any more. The key of a request is random, and the JDK reads random bytes from a file that is always
 * ready.
 */
public final class ResilienceBlockHoundIntegration implements BlockHoundIntegration {

    @Override
    public void applyTo(BlockHound.Builder builder) {
        String tasks = WorkerThreads.class.getName() + "$HandOff";
        builder.allowBlockingCallsInside(ShortLock.class.getName(), "lock")
                .allowBlockingCallsInside(tasks, "enqueue")
                .allowBlockingCallsInside(tasks, "remove")
                .allowBlockingCallsInside("dev.resilience.spring.client.HttpClients", "key")
                .allowBlockingCallsInside(ContextRegistry.class.getName(), "<clinit>")
                .allowBlockingCallsInside(
                        "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "remove");
    }
}
