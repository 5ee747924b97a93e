package dev.resilience.simulation;

import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.SeededRetry;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Clients that all want to update the same row, which is locked optimistically: each reads the row's version, then
 * writes if the version is still the same, and otherwise waits and starts again. The model of Marc Brooker,
 * "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
final class Contention {

    private static final double MEAN_HOP_MILLIS = 10;
    private static final double DEVIATION_MILLIS = 2;
    private static final Duration LONG_ENOUGH = Duration.ofDays(1);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Random random;
    private final Pipeline pipeline;
    private int version;
    private int writes;
    private long lastClientDone;

    private Contention(Strategy strategy, Random random) {
        this.random = random;
        this.pipeline = Pipeline.of(SeededRetry.of(
                strategy.title(), strategy.policy(), FaultClassification.ofJdk(), time, null, random::nextDouble));
    }

    /**
     * What it took until every client had written.
     *
     * @param writes that the row saw, those with an old version included
     * @param millis until the last client knew that it had succeeded
     */
    record Outcome(int writes, double millis) {}

    static Outcome run(Strategy strategy, int clients, Random random) {
        Contention contention = new Contention(strategy, random);
        for (int client = 0; client < clients; client++) {
            contention.startClient();
        }
        contention.time.advance(LONG_ENOUGH);
        if (contention.version != clients) {
            throw new IllegalStateException(contention.version + " of " + clients + " clients have written");
        }
        return new Outcome(contention.writes, contention.lastClientDone / 1e6);
    }

    private void startClient() {
        pipeline.callAsync(this::update).thenRun(() -> lastClientDone = time.nanoTime());
    }

    private CompletableFuture<Integer> update() {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        afterHop(() -> {
            int read = version;
            afterHop(() -> afterHop(() -> {
                boolean written = write(read);
                afterHop(() -> {
                    if (written) {
                        result.complete(read);
                    } else {
                        result.completeExceptionally(new Conflict());
                    }
                });
            }));
        });
        return result;
    }

    private boolean write(int read) {
        writes++;
        if (read != version) {
            return false;
        }
        version++;
        return true;
    }

    private void afterHop(Runnable arrival) {
        double millis = Math.abs(MEAN_HOP_MILLIS + DEVIATION_MILLIS * random.nextGaussian());
        time.schedule(Duration.ofNanos((long) (millis * 1e6)), arrival);
    }

    /** The row was written by somebody else in the meantime. */
    static final class Conflict extends Exception {

        Conflict() {
            super("The row has changed", null, false, false);
        }
    }
}
