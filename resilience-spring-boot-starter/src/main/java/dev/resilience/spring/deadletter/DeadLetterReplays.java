package dev.resilience.spring.deadletter;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;

/**
 * Replays dead letters in the background, where the policy says so: every 10 s up to 10 of a policy, one after the other,
 * until one fails. What is down gets no more calls of this kind than that. Retries of a replay are taken from the policy's
 * budget; its first attempt adds nothing to the budget, because it is a repetition itself.
 *
 * <p>Makes sure of the store before the first call can need it. Among the last to be started and the first to be stopped: no
 * replay begins any more, and the shutdown waits for those that run as long as Spring lets it, but not before the web server has
 * waited for its requests.
 */
public final class DeadLetterReplays implements SmartInitializingSingleton, SmartLifecycle {

    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final int MAX_AT_A_TIME = 10;

    /** The round that is no policy's. */
    private static final String REMOVAL = "";

    private final Supplier<LiveRegistry> registry;
    private final DeadLetters.Replayer replayer;
    private final TimeSource time;
    private final BooleanSupplier checks;
    private final Consumer<DeadLetterStore> prepare;
    private final Duration retention;
    private final Map<String, CompletableFuture<Void>> rounds = new ConcurrentHashMap<>();
    private boolean prepared; // by one thread: that of the startup
    private volatile @Nullable Object running; // another object after each stop, whose rounds do not go on
    private @Nullable Scheduled next; // with the lock

    /**
     * @param checks finds the methods and their policies, if that is not done yet, and tells whether there are any
     * @param prepare called before letters are kept, if a policy keeps any; what it throws fails the startup
     * @param retention how long letters are kept after they were given up
     */
    public DeadLetterReplays(
            Supplier<LiveRegistry> registry,
            DeadLetters.Replayer replayer,
            TimeSource time,
            BooleanSupplier checks,
            Consumer<DeadLetterStore> prepare,
            Duration retention) {
        this.registry = registry;
        this.checks = checks;
        this.replayer = replayer;
        this.time = time;
        this.prepare = prepare;
        this.retention = retention;
    }

    @Override
    public void afterSingletonsInstantiated() {
        isNeeded();
    }

    /** Whether there is anything that may keep letters. Makes sure of the store then. */
    private boolean isNeeded() {
        boolean needed = checks.getAsBoolean();
        if (needed && !prepared) {
            prepared = true;
            registry.get().addWork(() -> rounds.values().stream().anyMatch(round -> !round.isDone()));
            KeepingRetry.in(registry.get()).stream()
                    .findFirst()
                    .ifPresent(retry -> prepare.accept(retry.letters().store())); // one for all policies
        }
        return needed;
    }

    @Override
    public void start() {
        boolean needed = isNeeded(); // before this runs: live objects that are created by it would start it again
        running = running == null ? new Object() : running;
        if (needed) {
            schedule();
        }
    }

    /** To be called when live objects are created later than all other beans. */
    public void startIfRunning() {
        if (isRunning()) {
            start();
        }
    }

    /** No replay begins from now on. Those that run are waited for as other calls are, when their waits have ended. */
    @Override
    public void stop() {
        running = null;
        schedule();
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    /** There is one timer at the most, and none after the stop. */
    private synchronized void schedule() {
        if (next != null) {
            next.cancel();
        }
        next = isRunning() ? time.schedule(PAUSE, this::beginRounds) : null;
    }

    /** Begins a round of each policy whose last one is over, on a thread for each. */
    private void beginRounds() {
        Object begun = running;
        List<KeepingRetry> all = KeepingRetry.in(registry.get());
        all.stream()
                .filter(retry -> isAutomatic(retry, begun))
                .forEach(retry -> begin(retry.name(), () -> replay(retry, begun)));
        all.stream()
                .findFirst()
                .ifPresent(any -> begin(REMOVAL, () -> any.letters().removeGivenUp(retention)));
        schedule();
    }

    /** Begins a round on a thread of its own, unless the last one of the name is not over. */
    private boolean begin(String name, Runnable round) {
        CompletableFuture<Void> known = new CompletableFuture<>(); // to a shutdown, before the round begins
        CompletableFuture<Void> next = known.thenRunAsync(round, started -> time.schedule(Duration.ZERO, started));
        boolean begins = rounds.compute(name, (key, last) -> last == null || last.isDone() ? next : last) == next;
        if (begins) {
            known.complete(null);
        }
        return begins;
    }

    /**
     * Begins to replay or discard all letters of a policy in the background, until a policy refuses a replay for now.
     *
     * @param action gets the id of each
     * @return false if letters of the policy are being replayed or discarded already
     */
    public boolean forAll(KeepingRetry retry, Function<String, @Nullable Replayed> action) {
        Object begun = running;
        return begin(retry.name(), () -> retry.letters().forEach(action, () -> begun == running));
    }

    private void replay(KeepingRetry retry, @Nullable Object begun) {
        for (int i = 0; i < MAX_AT_A_TIME && isAutomatic(retry, begun); i++) {
            Replayed replayed = retry.letters().replayDue(replayer);
            if (replayed == null || replayed.isDown()) {
                return;
            }
        }
    }

    private boolean isAutomatic(Retry retry, @Nullable Object begun) {
        return begun != null && begun == running && retry.policy().deadLetterReplay() == RetryPolicy.Replay.AUTO;
    }
}
