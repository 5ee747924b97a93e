package dev.resilience.spring.reactor;

import dev.resilience.time.ShortLock;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, where an application uses it, which locks a thread that must not block may wait for: they are held for
 * a few steps. Such a lock is the one of the JDK's queue of timers, from which a cancelled timer is taken out; Reactor
 * allows the same for its own timers. An error that BlockHound throws inside a lock leaves it unusable, so that no
 * timer would go off any more.
 */
public final class ResilienceBlockHoundIntegration implements BlockHoundIntegration {

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.allowBlockingCallsInside(ShortLock.class.getName(), "lock")
                .allowBlockingCallsInside(
                        "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "remove");
    }
}
