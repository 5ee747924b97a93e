package dev.resilience.spring.registry;

import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;

import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.properties.PolicyBinder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Creates the live objects of one kind: those of its policies at startup, and others when they are asked for. */
final class PolicyInstances<P extends Record, L extends LiveObject<P>> implements KindContext.Policies<L> {

    private static final Logger log = LoggerFactory.getLogger(DefaultResilienceRegistry.class);
    private static final LogLine SWITCHED_OFF = LogLine.info("policy_switched_off");

    private final DefaultResilienceRegistry registry;
    private final ConfiguredKind<?, P, L> kind;
    private final Map<String, P> policies;

    /** What code has created by name, with what was created for it, itself last. */
    private final Map<String, List<Created>> createdByCode = new HashMap<>();

    record Created(String kind, String name) {}

    PolicyInstances(DefaultResilienceRegistry registry, ConfiguredKind<?, P, L> kind) {
        this.registry = registry;
        this.kind = kind;
        this.policies = new ConcurrentSkipListMap<>(registry.binder.bind(kind));
    }

    void createAll() {
        policies.forEach((name, policy) -> kind.prepare(name, policy, new Context(name)));
        policies.forEach(this::createConfigured);
        policies.forEach(this::warnOfKeysWithoutEffect);
    }

    private void warnOfKeysWithoutEffect(String name, P policy) {
        registry.binder.places(kind, name).forEach((key, place) -> {
            String why = kind.withoutEffect(key, policy);
            if (why != null && !isUsedByHeir(name, key)) {
                registry.warnings.add(KEY_WITHOUT_EFFECT.of(place.replace("'", "") + " has no effect, because " + why));
            }
        });
    }

    /** That of a policy whose annotation turned up after the others were created; {@code null} for a problem. */
    @Nullable
    L createLate(String name) {
        P policy = registry.binder.bind(kind, name);
        if (policy == null) {
            return null;
        }
        policies.put(name, policy);
        kind.prepare(name, policy, new Context(name));
        warnOfKeysWithoutEffect(name, policy);
        return createConfigured(name, policy);
    }

    /** What is to be done for what is configured now, once all of it is known to be right. */
    Runnable refresh(PolicyBinder now) {
        Map<String, P> configured = now.bind(kind);
        return () -> configured.forEach((name, policy) -> registry.changes.attempt(kind, name, () -> {
            refresh(name, policy);
            registry.refuseSwitch(kind, name);
        }));
    }

    private void refresh(String name, P configured) {
        L found = find(name);
        if (found != null) {
            registry.changes.refresh(kind, found, policies.getOrDefault(name, found.policy()), configured);
        } else {
            registry.create(kind, name);
            registry.environment.publish(now -> new PolicyAdded(now, kind.id(), name));
        }
        policies.put(name, configured);
    }

    private @Nullable L createConfigured(String name, P policy) {
        try {
            L created = kind.create(name, policy, new Context(name));
            if (created != null) {
                switchOffUnlessEnabled(name);
                return registry.live.computeIfAbsent(kind.id(), name, () -> created);
            }
        } catch (ResilienceConfigurationException problem) {
            registry.problems.add(place(problem), problem);
        }
        registry.names.breaks(kind, name);
        return null;
    }

    /** Whether the value that is configured for a key of one policy has an effect in another that starts from it. */
    private boolean isUsedByHeir(String name, String key) {
        String property = registry.binder.property(kind, name, key);
        return policies.entrySet().stream()
                .filter(other ->
                        registry.binder.property(kind, other.getKey(), key).equals(property))
                .anyMatch(heir -> kind.withoutEffect(key, heir.getValue()) == null);
    }

    String id() {
        return kind.id();
    }

    L get(String name) {
        L found = find(name);
        if (found == null) {
            throw DefaultResilienceRegistry.unknown(kind.id() + " policy", name, names());
        }
        return found;
    }

    L reconfigure(String name, P policy) {
        L found = get(name);
        registry.changes.change(kind, found, before -> policy, null, "code");
        return found;
    }

    L reconfigure(String name, Map<String, ?> changed) {
        L found = get(name);
        registry.changes.change(kind, found, changed, null, "code");
        return found;
    }

    L getOrCreate(String name, String template) {
        return getOrCreate(name, () -> get(template).policy());
    }

    /** The live object of a name, created of a policy of code's if there is none. */
    L getOrCreate(String name, Supplier<P> policy) {
        L found = find(name);
        if (found != null) {
            return found;
        }
        List<Created> created = new ArrayList<>();
        synchronized (registry) {
            found = find(name);
            if (found == null) {
                found = create(name, policy.get(), created);
            }
        }
        // outside the lock, because listeners may take long
        created.forEach(one -> registry.environment.publish(now -> new PolicyAdded(now, one.kind, one.name)));
        return found;
    }

    private L create(String name, P policy, List<Created> created) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A " + kind.id() + " policy needs a name, and '" + name + "' is blank");
        }
        if (createdByCode.size() >= registry.maxCreated) {
            throw new IllegalStateException("The " + kind.id() + " policy '" + name + "' is not made: code has made "
                    + createdByCode.size() + " of this kind, which is the limit 'resilience.registry.max-created'. Use "
                    + "fewer names, such as one for each partner and none for each user or request; remove those that "
                    + "are not needed any more (ResilienceRegistry.remove); or raise the limit");
        }
        registry.beingCreated = created;
        try {
            kind.prepare(name, policy, new Context(name));
            L live = kind.create(name, policy, new Context(name));
            if (live == null) {
                throw new IllegalStateException(
                        "The " + kind.id() + " policy '" + name + "' cannot be made of " + policy);
            }
            created.add(new Created(kind.id(), name));
            createdByCode.put(name, List.copyOf(created));
            return registry.live.computeIfAbsent(kind.id(), name, () -> live);
        } catch (RuntimeException | Error failed) {
            created.add(new Created(kind.id(), name));
            end(created);
            created.clear();
            throw failed;
        } finally {
            registry.beingCreated = null;
        }
    }

    private void end(List<Created> ended) {
        ended.forEach(one -> registry.end(one.kind, one.name));
    }

    /** Removes what code has created, and returns whether there was one of that name. */
    boolean remove(String name) {
        List<Created> removed;
        synchronized (registry) {
            if (find(name) == null) {
                return false;
            }
            removed = createdByCode.get(name);
            if (removed == null) {
                throw new IllegalArgumentException("The " + kind.id() + " policy '" + name
                        + "' is configured and cannot be removed: only those can that getOrCreate has made");
            }
            List<String> users = registry.live.usedBy(kind.id(), name);
            if (!users.isEmpty()) {
                throw new IllegalArgumentException(
                        "The " + kind.id() + " policy '" + name + "' cannot be removed: it is used by " + users);
            }
            createdByCode.remove(name);
            end(removed);
        }
        removed.forEach(one -> registry.environment.publish(now -> new PolicyRemoved(now, one.kind, one.name)));
        return true;
    }

    private void switchOffUnlessEnabled(String name) {
        if (!registry.binder.isEnabled(kind, name)) {
            registry.live.switchOff(kind.id(), name);
            SWITCHED_OFF
                    .in(log, name)
                    .addKeyValue("kind", kind.id())
                    .log(
                            "The {} policy '{}' is switched off by '{}': methods that name it go without it",
                            kind.id(),
                            name,
                            registry.binder.property(kind, name, "enabled"));
        }
    }

    /** The property that is blamed: policies that inherit it make the same problem. */
    private static String place(ResilienceConfigurationException problem) {
        String message = String.valueOf(problem.getMessage());
        return message.substring(Math.max(0, message.indexOf("\n\n")));
    }

    @Override
    public @Nullable L find(String name) {
        return registry.live.<L>ofKind(kind.id()).get(name);
    }

    @Override
    public @Nullable L findOrCreate(String name) {
        L found = find(name);
        L ofDefault = find("default"); // its values may have changed since the startup
        P defaults = ofDefault == null ? policies.get("default") : ofDefault.policy();
        if (found != null || defaults == null || isBroken(name)) {
            return found;
        }
        L created = createConfigured(name, defaults);
        if (created != null && registry.beingCreated != null) {
            registry.beingCreated.add(new Created(kind.id(), name));
        }
        return created;
    }

    @Override
    public boolean isBroken(String name) {
        return registry.names.isBroken(kind, name);
    }

    @Override
    public Set<String> names() {
        return registry.live.ofKind(kind.id()).keySet();
    }

    private final class Context implements KindContext {

        private final String policy;

        Context(String policy) {
            this.policy = policy;
        }

        @Override
        public Environment environment() {
            return registry.environment;
        }

        @Override
        public Environment environmentWithWaits() {
            return registry.environment.with(registry.live.createWaits(kind.id(), policy));
        }

        @Override
        public StartupWarnings warnings() {
            return registry.warnings;
        }

        @Override
        public <T> ObjectProvider<T> beans(Class<T> type) {
            return registry.beans.getBeanProvider(type);
        }

        @Override
        public String describe(String key, @Nullable Object value) {
            return policies.containsKey(policy)
                    ? registry.binder.describe(kind, policy, key, value)
                    : "    " + key + ": " + value; // made by code
        }

        @Override
        public boolean use(Class<? extends ConfiguredKind<?, ?, ?>> other, String name) {
            String id = registry.kinds().get(other).id();
            registry.live.use(id, name, kind.id() + " " + policy);
            return registry.live.isEnabled(id, name);
        }

        @Override
        public void usedBy(String user) {
            registry.live.use(kind.id(), policy, user);
        }

        @Override
        public List<Layer> inOrder(Map<String, ? extends Layer> byKind) {
            return registry.inOrder(byKind);
        }

        @Override
        public <M extends LiveObject<?>> KindContext.Policies<M> others(
                Class<? extends ConfiguredKind<?, ?, M>> other) {
            return registry.instances(other);
        }
    }
}
