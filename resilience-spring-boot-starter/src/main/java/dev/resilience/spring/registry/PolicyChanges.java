package dev.resilience.spring.registry;

import dev.resilience.event.PolicyChanged;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.properties.PolicyChange;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.time.Timestamps;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes policies while the application runs, one change of a policy at a time, and reports each. Safe for use by many
 * threads.
 *
 * <p>A change for a time goes back by itself to the lasting policy: the configured one with the changes that were made without
 * a time, be it before or meanwhile. Of several changes for a time the last decides when that is.
 */
public final class PolicyChanges {

    private static final Logger log = LoggerFactory.getLogger(PolicyChanges.class);
    private static final LogLine CHANGED = LogLine.info("policy_changed");
    private static final LogLine REFRESH_REFUSED = LogLine.warn("policy_refresh_refused");

    private final Environment environment;
    private final TimeSource time;
    private final Map<LiveObject<?>, History> histories = Collections.synchronizedMap(new WeakHashMap<>());

    /** The changes of one policy, which is locked by it: one change holds up no other policy's. */
    private static final class History {

        private Record configured;
        private Record lasting;
        private @Nullable Scheduled goingBack; // while a change for a time holds
        private long end;

        History(Record configured) {
            this.configured = configured;
            this.lasting = configured;
        }

        void endTemporary() {
            if (goingBack != null) {
                goingBack.cancel();
                goingBack = null;
            }
        }
    }

    PolicyChanges(Environment environment) {
        this.environment = environment;
        this.time = environment.time();
    }

    /**
     * Changes some values.
     *
     * @param changes values by key as in YAML, nested or dotted
     * @param atMost after this time the policy goes back; {@code null} for a change that lasts until the next restart
     * @param by what asks for it: {@code code} or {@code endpoint}
     * @throws dev.resilience.spring.ResilienceConfigurationException for unknown keys and values that cannot be
     * @throws InvalidPolicyException for what cannot change while calls run
     * @throws UnsupportedOperationException if nothing of the kind can change
     */
    public <P extends Record, L extends LiveObject<P>> void change(
            ConfiguredKind<?, P, L> kind, L live, Map<?, ?> changes, @Nullable Duration atMost, String by) {
        String origin = "changed by " + by + " while the application runs";
        change(kind, live, policy -> PolicyChange.apply(kind, live.name(), policy, changes, origin), atMost, by);
    }

    /** Takes another policy; see {@link #change(ConfiguredKind, LiveObject, Map, Duration, String)}. */
    @SuppressWarnings("unchecked") // policies of the live object
    <P extends Record, L extends LiveObject<P>> void change(
            ConfiguredKind<?, P, L> kind, L live, UnaryOperator<P> change, @Nullable Duration atMost, String by) {
        History history = history(live);
        Map<String, String> changed;
        String until = "the next restart";
        synchronized (history) {
            P before = live.policy();
            P after = change.apply(before);
            boolean isTemporary = history.goingBack != null;
            P lasting = isTemporary ? (P) history.lasting : before;
            if (atMost == null) {
                lasting = isTemporary ? change.apply(lasting) : after;
            }
            changed = PolicyChange.differences(before, after);
            changed.forEach((key, value) -> {
                if (kind.isFixed(key)) {
                    String why = "cannot change while the application runs: change the configuration";
                    throw new InvalidPolicyException(key, value, why);
                }
            });
            boolean isNone = changed.isEmpty() && (!isTemporary || (atMost == null && lasting.equals(history.lasting)));
            if (!changed.isEmpty()) {
                live.reconfigure(after);
            }
            history.lasting = lasting;
            if (atMost == null ? after.equals(lasting) : !isNone) {
                history.endTemporary();
            }
            if (isNone) {
                return;
            }
            if (atMost != null) {
                goBackAfter(atMost, kind, live, history);
                until = until(history);
            }
        }
        CHANGED.in(log, live.name())
                .addKeyValue("kind", kind.id())
                .addKeyValue("by", by)
                .addKeyValue("changed", changed)
                .log("The {} policy '{}' was changed by {} until {}: {}", kind.id(), live.name(), by, until, changed);
        environment.publish(now -> new PolicyChanged(now, kind.id(), live.name(), by, changed));
    }

    /** Makes a change that a refresh asks for. One that cannot be is reported, and holds up no other. */
    void attempt(ConfiguredKind<?, ?, ?> kind, String name, Runnable change) {
        try {
            change.run();
        } catch (RuntimeException refused) {
            String stays = "The {} policy '{}' is not as it is configured now: {}";
            REFRESH_REFUSED
                    .in(log, name)
                    .addKeyValue("kind", kind.id())
                    .log(stays, kind.id(), name, refused.getMessage());
        }
    }

    /** Takes the values that are configured otherwise than before; those of other keys stay, also if they were changed by hand. */
    <P extends Record, L extends LiveObject<P>> void refresh(
            ConfiguredKind<?, P, L> kind, L live, P before, P configured) {
        if (before.equals(configured)) {
            return;
        }
        History history = history(live);
        change(kind, live, policy -> PolicyChange.carryOver(before, configured, policy), null, "refresh");
        synchronized (history) {
            history.configured = configured;
        }
    }

    /** A timer that comes too late to be cancelled finds another end, and changes nothing. */
    @SuppressWarnings("unchecked") // a policy of the live object
    private <P extends Record, L extends LiveObject<P>> void goBackAfter(
            Duration atMost, ConfiguredKind<?, P, L> kind, L live, History history) {
        long end = time.nanoTime() + Durations.toNanos(atMost);
        UnaryOperator<P> back = policy -> history.end == end ? (P) history.lasting : policy;
        history.end = end;
        history.goingBack = time.schedule(atMost, () -> change(kind, live, back, null, "timer"), WorkerThreads.ENDS);
    }

    /** The policy does not go back any more, because it is removed or the application ends. */
    void forget(@Nullable LiveObject<?> live) {
        History history = histories.remove(live);
        if (history != null) {
            synchronized (history) {
                history.endTemporary();
            }
        }
    }

    void close() {
        List.copyOf(histories.keySet()).forEach(this::forget);
    }

    /** The wall time at which the policy goes back. It moves with a wall clock that is set, because the time itself does not. */
    private String until(History history) {
        return Timestamps.text(time.now().plusNanos(history.end - time.nanoTime()));
    }

    private History history(LiveObject<?> live) {
        return histories.computeIfAbsent(live, changed -> new History(changed.policy()));
    }

    /** What differs from the configuration, by key with both values, and until when: for the endpoint. Empty if nothing does. */
    public Map<String, Object> view(LiveObject<?> live) {
        Map<String, Object> view = new LinkedHashMap<>();
        History history = histories.get(live);
        if (history != null) {
            synchronized (history) {
                Map<String, String> configured = PolicyChange.differences(live.policy(), history.configured);
                Map<String, Object> changed = new LinkedHashMap<>();
                PolicyChange.differences(history.configured, live.policy()).forEach((key, now) -> {
                    String before = Objects.requireNonNull(configured.get(key));
                    changed.put(key, Map.of("configured", before, "now", now));
                });
                if (!changed.isEmpty()) {
                    view.put("changed", changed);
                }
                if (history.goingBack != null) {
                    view.put("until", until(history));
                }
            }
        }
        return view;
    }
}
