package dev.resilience.spring.chaos;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What becomes of the requests of one node: the same for the same seed, request by request. Safe for many threads. */
final class FaultPlan {

    private static final int PER_MILLE = 1_000;
    private static final int FAULTS_OF_STATEMENTS = 25;
    private static final int FAULTS_OF_COMMITS = 180;
    private static final int LONG_PAUSES = 150;
    private static final Duration SHORT_PAUSE = Duration.ofMillis(25);
    private static final Duration LONG_PAUSE = Duration.ofMillis(500);
    private static final Fate[] FAULTS =
            Arrays.stream(Fate.values()).filter(fate -> fate != Fate.SERVED).toArray(Fate[]::new);

    private final long seed;
    private final AtomicLong requests = new AtomicLong();
    private final Map<Fate, LongAdder> counts = new EnumMap<>(Fate.class);
    private final CountDownLatch healed = new CountDownLatch(1);
    private volatile boolean storms;

    FaultPlan(long seed) {
        this.seed = seed;
        Arrays.stream(Fate.values()).forEach(fate -> counts.put(fate, new LongAdder()));
    }

    /** Of the next request. */
    Step next(boolean isCommit) {
        if (!storms) {
            return Step.SERVED;
        }
        Random random = new Random(seed * 1_000_003 + requests.incrementAndGet());
        random.nextLong(); // neighbouring seeds begin alike
        boolean isLong = random.nextInt(PER_MILLE) < LONG_PAUSES;
        Duration pause = Duration.ofMillis(1 + random.nextInt((int) (isLong ? LONG_PAUSE : SHORT_PAUSE).toMillis()));
        int faults = isCommit ? FAULTS_OF_COMMITS : FAULTS_OF_STATEMENTS;
        boolean fails = random.nextInt(PER_MILLE) < faults;
        Fate fate = fails ? FAULTS[random.nextInt(FAULTS.length)] : Fate.SERVED;
        counts.get(fate).increment();
        return new Step(fate, pause);
    }

    /** A request's fate, and how long what is late is late. */
    record Step(Fate fate, Duration pause) {

        static final Step SERVED = new Step(Fate.SERVED, Duration.ZERO);
    }

    /** From now on requests fail. */
    void begin() {
        storms = true;
    }

    /** Waits, but not beyond the end of the faults. */
    void pause(Duration duration) {
        try {
            boolean unused = healed.await(duration.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException impossible) {
            Thread.currentThread().interrupt();
        }
    }

    /** From now on all requests are served, and what was late comes. */
    void heal() {
        storms = false;
        healed.countDown();
    }

    long count(Fate fate) {
        return counts.get(fate).sum();
    }
}
