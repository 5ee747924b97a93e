package dev.resilience.spring.deadletter;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.DeadLetters;
import dev.resilience.deadletter.LetterReplayer;
import dev.resilience.deadletter.Replayed;
import dev.resilience.deadletter.UnreadableLetterException;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;

/**
 * Replays dead letters in the background, where the policy says so: every 10 s up to 10 of a policy, one after the other,
 * until one fails. What is down gets no more calls of this kind than that. Retries of a replay are taken from the policy's
 * budget; its first attempt adds nothing to the budget, because it is a repetition itself.
 *
 * <p>Makes sure of the store before the first call can need it. Among the last to be started and the first to be stopped: no
 * replay begins any more, and the shutdown waits for those that run as long as Spring lets it.
 */
public final class DeadLetterReplays implements SmartInitializingSingleton, SmartLifecycle {

    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final int MOST_AT_A_TIME = 10;

    private final LiveRegistry registry;
    private final LetterReplayer replayer;
    private final TimeSource time;
    private final Runnable checks;
    private final Consumer<DeadLetterStore> prepare;
    private final ConcurrentMap<String, Rounds> rounds = new ConcurrentHashMap<>();
    private boolean prepared; // by one thread: that of the startup
    private volatile boolean running;

    /**
     * @param checks finds the methods and their policies, if that is not done yet
     * @param prepare called before letters are kept, if a policy keeps any; what it throws fails the startup
     */
    public DeadLetterReplays(
            LiveRegistry registry,
            LetterReplayer replayer,
            TimeSource time,
            Runnable checks,
            Consumer<DeadLetterStore> prepare) {
        this.registry = registry;
        this.checks = checks;
        this.replayer = replayer;
        this.time = time;
        this.prepare = prepare;
    }

    @Override
    public void afterSingletonsInstantiated() {
        checks.run();
        prepareOnce();
    }

    private void prepareOnce() {
        if (!prepared) {
            prepared = true;
            keeping()
                    .map(retry -> Objects.requireNonNull(retry.deadLetters()).store())
                    .collect(Collectors.toSet())
                    .forEach(prepare);
            registry.onFirstUse((kind, policy) -> {
                if (running && kind.equals("retry")) {
                    keeping().forEach(this::begin); // that of a class which has turned up late
                }
            });
        }
    }

    private Stream<Retry> keeping() {
        Map<String, Retry> retries = registry.ofKind("retry");
        return retries.values().stream().filter(retry -> retry.deadLetters() != null);
    }

    @Override
    public void start() {
        prepareOnce();
        running = true;
        keeping().forEach(this::begin);
    }

    private void begin(Retry retry) {
        Rounds added = new Rounds(retry);
        if (rounds.putIfAbsent(retry.name(), added) == null) {
            added.schedule();
            if (!running) { // stopped meanwhile, possibly before this was among the rounds to stop
                rounds.remove(retry.name(), added);
                added.stop();
            }
        }
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // what Spring throws when it hears of the end is its own
    public void stop(Runnable callback) {
        running = false;
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        rounds.forEach((policy, stopped) -> {
            rounds.remove(policy, stopped);
            stopped.stop();
            ends.add(stopped.current);
        });
        CompletableFuture.allOf(ends.toArray(new CompletableFuture<?>[0])).thenRun(callback);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Those of one policy. */
    private final class Rounds {

        private final Retry retry;
        private final DeadLetters letters;
        private volatile boolean stopped; // for good: a start makes new ones
        private volatile @Nullable Scheduled next;
        private volatile CompletableFuture<Void> current = CompletableFuture.completedFuture(null);

        Rounds(Retry retry) {
            this.retry = retry;
            this.letters = Objects.requireNonNull(retry.deadLetters());
        }

        void schedule() {
            next = time.schedule(PAUSE, this::replay);
        }

        /** No replay begins from now on; one that runs is left alone. */
        void stop() {
            stopped = true;
            Scheduled waiting = next;
            if (waiting != null) {
                waiting.cancel();
            }
        }

        private void replay() {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            current = ended;
            try {
                for (int i = 0; i < MOST_AT_A_TIME && isAutomatic(); i++) {
                    Replayed replayed = letters.replayDue(replayer);
                    if (replayed == null || isDown(replayed)) {
                        break;
                    }
                }
            } finally {
                try {
                    if (!stopped) {
                        schedule();
                    }
                } finally {
                    ended.complete(null); // a shutdown waits for it
                }
            }
        }

        /** A letter that cannot be read here says nothing about what it calls. */
        private boolean isDown(Replayed replayed) {
            return replayed.result() != Replayed.Result.SUCCEEDED
                    && !(replayed.failure() instanceof UnreadableLetterException);
        }

        private boolean isAutomatic() {
            return !stopped && retry.policy().deadLetterReplay() == RetryPolicy.Replay.AUTO;
        }
    }
}
