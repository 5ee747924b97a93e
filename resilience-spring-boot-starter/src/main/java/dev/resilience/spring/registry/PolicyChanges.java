package dev.resilience.spring.registry;

import dev.resilience.event.PolicyChanged;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.properties.PolicyChange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes policies while the application runs, one change of a policy at a time, and reports each. Safe for use by many
 * threads.
 */
public final class PolicyChanges {

    private static final Logger log = LoggerFactory.getLogger(PolicyChanges.class);
    private static final LogLine CHANGED = LogLine.info("policy_changed");

    private final Environment environment;
    private final Map<String, Object> locks = new ConcurrentHashMap<>(); // one change holds up no other policy's

    PolicyChanges(Environment environment) {
        this.environment = environment;
    }

    /**
     * Changes some values.
     *
     * @param changes values by key as in YAML, nested or dotted
     * @param by what asks for it: {@code code} or {@code endpoint}
     * @throws dev.resilience.spring.ResilienceConfigurationException for unknown keys and values that cannot be
     * @throws InvalidPolicyException for what cannot change while calls run
     * @throws UnsupportedOperationException if nothing of the kind can change
     */
    public <P extends Record, L extends LiveObject<P>> void change(
            ConfiguredKind<?, P, L> kind, L live, Map<?, ?> changes, String by) {
        String origin = "changed by " + by + " while the application runs";
        change(kind, live, policy -> PolicyChange.apply(kind, live.name(), policy, changes, origin), by);
    }

    /** Takes another policy; see {@link #change(ConfiguredKind, LiveObject, Map, String)}. */
    <P extends Record, L extends LiveObject<P>> void change(
            ConfiguredKind<?, P, L> kind, L live, UnaryOperator<P> change, String by) {
        Map<String, String> changed;
        synchronized (locks.computeIfAbsent(kind.id() + "/" + live.name(), policy -> new Object())) {
            P before = live.policy();
            P after = change.apply(before);
            changed = PolicyChange.differences(before, after);
            for (String key : changed.keySet()) {
                if (kind.isFixed(key)) {
                    throw new InvalidPolicyException(
                            key,
                            changed.get(key),
                            "cannot change while the application runs: change the configuration");
                }
            }
            if (changed.isEmpty()) {
                return;
            }
            live.reconfigure(after);
        }
        CHANGED.in(log, live.name())
                .addKeyValue("kind", kind.id())
                .addKeyValue("by", by)
                .addKeyValue("changed", changed)
                .log(
                        "The {} policy '{}' was changed by {} until the next restart: {}",
                        kind.id(),
                        live.name(),
                        by,
                        changed);
        environment.publish(now -> new PolicyChanged(now, kind.id(), live.name(), by, changed));
    }
}
