package dev.resilience.concurrency;

import dev.resilience.exception.ResilienceException;
import java.net.ConnectException;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Makes calls of all kinds, one after the other; not safe for use by many threads. */
final class Caller {

    private final Shop shop;
    private final Random random;

    Caller(Shop shop, Random random) {
        this.shop = shop;
        this.random = random;
    }

    void call() {
        shop.made.incrementAndGet();
        Random ofBody = new Random(random.nextLong());
        long bodies = shop.bodies.get();
        if (random.nextBoolean()) {
            callBlocking(ofBody);
        } else {
            callAsynchronously(ofBody);
        }
        if (shop.bodies.get() == bodies) { // refused, and more often than not so is the next one
            pause(random.nextInt(500_000));
        }
    }

    private void callBlocking(Random ofBody) {
        try {
            shop.pipeline.call(() -> body(ofBody));
        } catch (Throwable failure) {
            noteIfUnexpected(failure);
        } finally {
            Thread.interrupted();
            shop.answered.incrementAndGet();
        }
    }

    private void callAsynchronously(Random ofBody) {
        CompletableFuture<String> answer = shop.pipeline.callAsync(() -> stage(ofBody));
        CompletableFuture<Void> ended = answer.handle((result, failure) -> {
            if (failure != null) {
                noteIfUnexpected(failure);
            }
            shop.answered.incrementAndGet();
            return null;
        });
        if (random.nextInt(4) == 0) {
            pause(random.nextInt(300_000));
            if (answer.cancel(true)) {
                shop.cancelled.incrementAndGet();
            }
        } else if (random.nextInt(4) != 0) {
            ended.join(); // now and then it makes the next call meanwhile
        }
    }

    private void noteIfUnexpected(Throwable failure) {
        boolean expected = failure instanceof ResilienceException
                || failure instanceof ConnectException
                || failure instanceof IllegalArgumentException
                || failure instanceof BodysOwn
                || failure instanceof InterruptedException
                || failure instanceof CancellationException;
        if (!expected) {
            shop.surprises.add(failure);
        }
    }

    private String body(Random ofBody) throws Exception {
        shop.bodies.incrementAndGet();
        int how = ofBody.nextInt(100);
        if (how < 10) {
            Thread.sleep(0, ofBody.nextInt(999_999));
        } else if (how < 20) {
            pause(ofBody.nextInt(2_000_000)); // takes no notice of interrupts
        }
        return result(ofBody);
    }

    private CompletableFuture<String> stage(Random ofBody) {
        int how = ofBody.nextInt(100);
        if (how < 40) {
            return CompletableFuture.supplyAsync(() -> sneakily(() -> body(ofBody)), ForkJoinPool.commonPool());
        }
        if (how < 45) {
            shop.bodies.incrementAndGet();
            return new CompletableFuture<String>() // the time limit's business, unless it lets it go on
                    .completeOnTimeout("late", 20, TimeUnit.MILLISECONDS);
        }
        return CompletableFuture.completedFuture(sneakily(() -> body(ofBody)));
    }

    private static String result(Random ofBody) throws ConnectException {
        int how = ofBody.nextInt(100);
        if (how < 12) {
            throw new ConnectException("refused");
        }
        if (how < 16) {
            throw new IllegalArgumentException("permanent");
        }
        if (how < 20) {
            throw new BodysOwn();
        }
        return "ok";
    }

    /** Parks, interrupted or not. */
    private static void pause(long nanos) {
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(nanos);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Work {

        String run() throws Exception;
    }

    @SuppressWarnings("unchecked") // erased: thrown as it is
    private static <T extends Throwable> String sneakily(Work work) throws T {
        try {
            return work.run();
        } catch (Throwable failure) {
            throw (T) failure;
        }
    }

    /** An error of the body. */
    private static final class BodysOwn extends Error {

        BodysOwn() {
            super("the body's own", null, false, false);
        }
    }
}
