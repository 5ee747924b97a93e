package dev.resilience.messaging;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** What listeners do, in order. */
final class Effects {

    /** Takes until a test ends it. */
    static final String SLOW = "slow";

    private final List<String> all = new CopyOnWriteArrayList<>();
    private final CountDownLatch slowBegan = new CountDownLatch(1);
    private final CountDownLatch slowMayEnd = new CountDownLatch(1);

    List<String> all() {
        return all;
    }

    void add(String effect) {
        if (effect.equals(SLOW)) {
            slowBegan.countDown();
            await(slowMayEnd);
        }
        all.add(effect);
    }

    /** Runs a call that has the slow effect, and returns when that has begun. */
    CompletableFuture<Void> runSlowly(Runnable call) {
        CompletableFuture<Void> running = CompletableFuture.runAsync(call);
        await(slowBegan);
        return running;
    }

    void endSlow() {
        slowMayEnd.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }
}
