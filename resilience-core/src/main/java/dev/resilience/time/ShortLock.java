package dev.resilience.time;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held for a few steps only, in which no code of others runs: to wait for it is not to block. Has a class of
 * its own so that tools that look for blocking calls, such as BlockHound, can be told so.
 */
public final class ShortLock extends ReentrantLock {

    private static final long serialVersionUID = 1;

    @Override
    public void lock() {
        super.lock();
    }

    /** Takes the steps under the lock. */
    public <T extends @Nullable Object> T get(Supplier<T> steps) {
        lock();
        try {
            return steps.get();
        } finally {
            unlock();
        }
    }
}
