package dev.resilience.spring.aop;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringValueResolver;

/** Finds the live objects that the annotations of methods name, and notes who uses them. */
final class NamedPolicies {

    private final LiveRegistry registry;
    private final WrittenNames names;
    private final StringValueResolver placeholders;

    NamedPolicies(LiveRegistry registry, WrittenNames names, StringValueResolver placeholders) {
        this.registry = registry;
        this.names = names;
        this.placeholders = placeholders;
    }

    /** The live object that an annotation names; {@code null} if what is written of it is a mistake already. */
    <L extends LiveObject<?>> @Nullable L find(
            ConfiguredKind<?, ?, L> kind, String written, Method method, Class<?> type) {
        Map<String, L> live = registry.ofKind(kind.id());
        String wanted = resolve(kind, written, method, type);
        if (names.isBroken(kind, wanted)) {
            return null;
        }
        String inEnvironment = live.containsKey(wanted) ? null : names.inEnvironment(kind, wanted);
        String name = inEnvironment == null ? wanted : inEnvironment;
        L found = live.get(name);
        if (found == null) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICY_NAMES,
                    "The method " + MethodNames.full(method, type) + " names the " + kind.id() + " policy '" + name
                            + (name.equals(written) ? "'" : "' by '" + written + "'") + ", but there is no '"
                            + kind.prefix() + "." + name + "'",
                    names.cure(kind, name, live.keySet()));
        }
        registry.use(kind.id(), name, MethodNames.readable(method, type));
        return found;
    }

    private String resolve(PolicyKind kind, String written, Method method, Class<?> type) {
        try {
            return String.valueOf(placeholders.resolveStringValue(written));
        } catch (IllegalArgumentException unresolved) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICY_NAMES,
                    "The method " + MethodNames.full(method, type) + " names a " + kind.id() + " policy by '" + written
                            + "', which cannot be resolved: " + unresolved.getMessage(),
                    "Define the property that the placeholder names, or give it a default: ${name:default}.");
        }
    }
}
