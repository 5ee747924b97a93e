package dev.resilience.spring.aop.policy;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.LatePolicies;
import dev.resilience.spring.kind.MethodNames;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the live objects that the annotations of methods name, and notes who uses them. */
public final class NamedPolicies {

    private final LiveRegistry registry;
    private final WrittenNames names;
    private final AnnotatedPolicies annotated;
    private final LatePolicies late;

    /**
     * @param names answers for names that are not in the registry
     * @param annotated the policies that annotations give values
     * @param late makes those whose annotations turn up when the registry is there
     */
    public NamedPolicies(LiveRegistry registry, WrittenNames names, AnnotatedPolicies annotated, LatePolicies late) {
        this.registry = registry;
        this.names = names;
        this.annotated = annotated;
        this.late = late;
    }

    /** The live object that an annotation names; {@code null} if what is written of it is a mistake already. */
    public <L extends LiveObject<?>> @Nullable L find(ConfiguredKind<?, ?, L> kind, PolicyUse<?> use) {
        String wanted = annotated.add(use);
        if (names.isBroken(kind, wanted)) {
            return null;
        }
        Map<String, L> live = registry.ofKind(kind.id());
        String inEnvironment = live.containsKey(wanted) ? null : names.inEnvironment(kind, wanted);
        String name = inEnvironment == null ? wanted : inEnvironment;
        L found = live.get(name);
        if (isToBeMade(kind, name, found)) {
            synchronized (late) { // another call of the same time may make it
                found = live.get(name);
                if (isToBeMade(kind, name, found)) {
                    requireUnmade(found, name, use);
                    found = late.make(kind, name);
                    annotated.isMade(kind, name);
                }
            }
            if (found == null) {
                return null;
            }
        }
        if (found == null) {
            String written = use.writtenName();
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICY_NAMES,
                    "The method " + MethodNames.full(use.method(), use.type()) + " names the " + kind.id() + " policy '"
                            + name + (name.equals(written) ? "'" : "' by '" + written + "'") + ", but there is no '"
                            + kind.prefix() + "." + name + "'",
                    names.cure(kind, name, live.keySet()));
        }
        registry.use(kind.id(), name, MethodNames.readable(use.method(), use.type()));
        return found;
    }

    private boolean isToBeMade(ConfiguredKind<?, ?, ?> kind, String name, @Nullable LiveObject<?> found) {
        return annotated.find(kind, name) != null && (found == null || annotated.isUnmade(kind, name));
    }

    /** Whether the method goes without the layer, because its policy says so; what is a mistake is told later. */
    public boolean isSwitchedOff(ConfiguredKind<?, ?, ?> kind, PolicyUse<?> use) {
        try {
            LiveObject<?> found = find(kind, use);
            return found != null && !registry.isEnabled(kind.id(), found.name());
        } catch (ResilienceConfigurationException mistake) {
            return false;
        }
    }

    /** What is written of the policy elsewhere has been read, and its live object may be in use. */
    private static void requireUnmade(@Nullable LiveObject<?> found, String name, PolicyUse<?> use) {
        if (found != null) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "The annotation @" + use.annotation().annotationType().getSimpleName() + " of " + use.place()
                            + " has values for the " + use.kind().id() + " policy '" + name
                            + "', which was made without them, because the class was not known at that time",
                    "Let the @Bean method that makes the bean return the type "
                            + use.type().getName() + ", or write the values below '"
                            + use.kind().prefix() + "[" + name + "]'.");
        }
    }
}
