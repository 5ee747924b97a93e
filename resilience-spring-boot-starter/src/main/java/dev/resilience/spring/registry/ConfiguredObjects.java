package dev.resilience.spring.registry;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveObjects;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.OtherPolicies;
import dev.resilience.time.TimeSource;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

/** The live objects of one kind, while they are made. */
final class ConfiguredObjects<P extends Record, L extends LiveObject<P>> implements OtherPolicies<L> {

    private static final Logger log = LoggerFactory.getLogger(RegistryFactory.class);
    private static final LogLine SWITCHED_OFF = LogLine.info("policy_switched_off");

    private final RegistryFactory factory;
    private final ConfiguredKind<?, P, L> kind;
    private final Map<String, P> policies;
    private final LiveObjects<L> live;

    ConfiguredObjects(RegistryFactory factory, ConfiguredKind<?, P, L> kind) {
        this.factory = factory;
        this.kind = kind;
        this.policies = factory.policies(kind);
        this.live = new LiveObjects<>(kind);
    }

    LiveObjects<L> live() {
        return live;
    }

    void makeAll() {
        policies.forEach((name, policy) -> kind.prepare(name, policy, new Context(name)));
        policies.forEach(this::make);
    }

    /** Makes the live object of a policy that was not known before; {@code null} for a mistake. */
    @Nullable
    L makeLate(String name) {
        P policy = factory.policy(kind, name);
        if (policy == null) {
            return null;
        }
        kind.prepare(name, policy, new Context(name));
        return make(name, policy);
    }

    private @Nullable L make(String name, P policy) {
        try {
            L made = kind.create(name, policy, new Context(name));
            if (made != null) {
                switchOffUnlessEnabled(name);
                return live.orMake(name, () -> made);
            }
        } catch (ResilienceConfigurationException mistake) {
            factory.mistakes().add(place(mistake), mistake);
        }
        factory.names().breaks(kind, name);
        return null;
    }

    /**
     * Makes one whose policy is not configured.
     *
     * @throws ResilienceConfigurationException for a policy that cannot work
     */
    L makeLater(String name, P policy) {
        kind.prepare(name, policy, new Context(name));
        L made = kind.create(name, policy, new Context(name));
        if (made == null) {
            throw new IllegalStateException("The " + kind.id() + " policy '" + name + "' cannot be made of " + policy);
        }
        return live.orMake(name, () -> made);
    }

    private void switchOffUnlessEnabled(String name) {
        if (!factory.binder().isEnabled(kind, name)) {
            live.switchOff(name);
            SWITCHED_OFF
                    .in(log, name)
                    .addKeyValue("kind", kind.id())
                    .log(
                            "The {} policy '{}' is switched off by '{}': methods that name it go without it",
                            kind.id(),
                            name,
                            factory.binder().origin(kind, name, "enabled"));
        }
    }

    /** The property that is blamed: policies that inherit it make the same mistake. */
    private static String place(ResilienceConfigurationException mistake) {
        String message = String.valueOf(mistake.getMessage());
        return message.substring(Math.max(0, message.indexOf("\n\n")));
    }

    @Override
    public @Nullable L find(String name) {
        return live.byName().get(name);
    }

    @Override
    public @Nullable L findOrMakeOfDefault(String name) {
        L found = find(name);
        P defaults = defaults();
        if (found != null || defaults == null || isBroken(name)) {
            return found;
        }
        L made = make(name, defaults);
        if (made != null) {
            factory.madeAlongside(kind.id(), name);
        }
        return made;
    }

    /** The values that the policy has now, which may have changed since the startup. */
    private @Nullable P defaults() {
        L made = find("default");
        return made == null ? policies.get("default") : made.policy();
    }

    @Override
    public boolean isBroken(String name) {
        return factory.names().isBroken(kind, name);
    }

    @Override
    public Set<String> names() {
        return live.byName().keySet();
    }

    private final class Context implements KindContext {

        private final String policy;

        Context(String policy) {
            this.policy = policy;
        }

        @Override
        public TimeSource time() {
            return factory.time();
        }

        @Override
        public TimeSource ownTime() {
            return factory.times().add(kind.id(), policy);
        }

        @Override
        public EventPublisher events() {
            return factory.events();
        }

        @Override
        public CompositeFaultClassifier faults() {
            return factory.faults();
        }

        @Override
        public ContextCarrier carrier() {
            return factory.carrier();
        }

        @Override
        public StartupWarnings warnings() {
            return factory.warnings();
        }

        @Override
        public <T> ObjectProvider<T> beans(Class<T> type) {
            return factory.beans().getBeanProvider(type);
        }

        @Override
        public boolean isWritten(String key) {
            return factory.binder().isWritten(kind, policy, key);
        }

        @Override
        public String describe(String key, @Nullable Object value) {
            return policies.containsKey(policy)
                    ? factory.binder().describe(kind, policy, key, value)
                    : "    " + key + ": " + value; // made by code
        }

        @Override
        public <M extends LiveObject<?>> OtherPolicies<M> others(Class<? extends ConfiguredKind<?, ?, M>> other) {
            return factory.objects(other);
        }
    }
}
