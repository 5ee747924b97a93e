package dev.resilience.spring.kind;

import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.spring.KebabCase;
import dev.resilience.spring.StartupWarnings;
import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * A kind whose policies are configured by name, below {@code resilience.<id>}, and named by the {@code value} of its
 * annotation. If the live object works {@link PerKey}, an attribute {@code key} of the annotation is a SpEL expression over the
 * arguments. The properties are the components of the policy's record, in kebab case; attributes of the annotation with
 * the same names give them values too. Each is inherited by {@code extends}, and checked by the record's constructor, which throws {@link dev.resilience.policy.InvalidPolicyException}.
 *
 * @param <A> the annotation
 * @param <P> what is configured
 * @param <L> the live object made of it: a layer too, unless {@link #layer(LiveObject, ProtectedMethod)} makes one
 */
public abstract class ConfiguredKind<A extends Annotation, P extends Record, L extends LiveObject<P>>
        extends Kind<A, L> {

    private final P defaultPolicy;
    private final boolean canBeSwitchedOff;

    /**
     * @param id the name in YAML, in the actuator and, for most kinds, in {@code resilience.order}
     * @param annotation protects methods; {@code null} if methods do not name policies of this kind themselves
     * @param inside the layer that this one stands directly inside, in the default order; {@code null} for the outermost
     * @param defaultPolicy what a policy has where nothing is written
     */
    protected ConfiguredKind(String id, @Nullable Class<A> annotation, @Nullable String inside, P defaultPolicy) {
        super(id, annotation, inside);
        this.defaultPolicy = defaultPolicy;
        this.canBeSwitchedOff = annotation != null
                && Arrays.stream(defaultPolicy.getClass().getRecordComponents())
                        .noneMatch(component -> component.getName().equals("enabled"));
    }

    /** What a policy has where nothing is written. */
    public final P defaultPolicy() {
        return defaultPolicy;
    }

    /** What is configured. */
    public final Class<? extends Record> policyType() {
        return defaultPolicy.getClass();
    }

    /** Where the policies of this kind are configured. */
    public final String prefix() {
        return "resilience." + id();
    }

    /** What policies of this kind may start from without being written: values by key, by the name of the preset. */
    public Map<String, Map<String, String>> presets() {
        return Map.of();
    }

    /** Called for each policy before the first live object is made: others may need what this one brings with it. */
    public void prepare(String name, P policy, KindContext context) {}

    /**
     * Makes the live object of a policy. Called once for each policy, at startup.
     *
     * @return {@code null} if the policy cannot be made and the problem is reported already
     * @throws dev.resilience.spring.ResilienceConfigurationException for a policy that cannot work
     */
    public abstract @Nullable L create(String name, P policy, KindContext context);

    /** The name of the policy that an annotation names, as it is written there. */
    public String policyName(A annotation) {
        Object name = AnnotationUtils.getValue(annotation);
        return name == null ? "" : name.toString();
    }

    /**
     * The key of the policy that an attribute of the annotation gives a value, if it is set: its name in kebab case, unless
     * the kind says otherwise. An attribute whose key the policy does not have is none of its values, and neither are {@code
     * value} and {@code enabled}.
     */
    public String keyOf(String attribute) {
        return KebabCase.of(attribute);
    }

    /**
     * Whether {@code enabled: false} lets the methods that use a policy go without it: unless methods do not name its policies, or
     * {@code enabled} is a key of the policies themselves.
     */
    public final boolean canBeSwitchedOff() {
        return canBeSwitchedOff;
    }

    @Override
    public @Nullable Layer layer(ProtectedMethod<A> method) {
        L live = method.live(this);
        if (live == null) {
            return null;
        }
        Layer ofAll = layer(live, method);
        Object key = AnnotationUtils.getValue(method.annotation(), "key");
        return live instanceof PerKey<?> keyed && key instanceof String text && !text.isEmpty()
                ? byKey(keyed, text, method)
                : ofAll;
    }

    private Layer byKey(PerKey<?> live, String text, ProtectedMethod<A> method) {
        CallKey key = CallExpression.checked("key", text, method, CallKey.EXAMPLES, CallKey::parse);
        String name = MethodNames.full(method.method(), method.type());
        return live.byKey(call -> {
            try {
                return key.of(call.arguments(), IllegalArgumentException::new);
            } catch (RuntimeException failed) { // permanent, so that no layer blames the callee or tries again
                String why = "The " + id() + " key of " + name + " cannot be used: " + failed.getMessage();
                throw new IllegalArgumentException(why, failed);
            }
        });
    }

    /** The layer around one method: the live object itself, unless the kind says otherwise. */
    protected Layer layer(L live, ProtectedMethod<A> method) {
        return (Layer) live;
    }

    @Override
    public String name(L live) {
        return live.name();
    }

    /** Where methods or policies name policies of this kind, for messages. */
    public String namedBy() {
        return "in an annotation";
    }

    /** The state that the actuator shows, by name: also of what a live object has for one key, if it works {@link PerKey}. */
    public abstract Map<String, Object> state(L live);

    /** The live objects of single keys; {@code null} if no method has a key. */
    @SuppressWarnings("unchecked") // as PerKey says
    public static <L> @Nullable KeyedObjects<L> keys(L live) {
        return live instanceof PerKey<?> keyed ? (KeyedObjects<L>) keyed.keys() : null;
    }

    /**
     * What the trouble of a live object is, in words that follow its name: that it refuses calls, runs out or is full now. The
     * actuator leads with those.
     *
     * @return {@code null} if it is in none
     */
    public @Nullable String trouble(L live) {
        return null;
    }

    /** The {@linkplain #trouble trouble} of a live object, or else of those that it has for single keys. */
    public final @Nullable String troubleWithKeys(L live) {
        String own = trouble(live);
        KeyedObjects<L> keys = own == null ? keys(live) : null;
        boolean isOfKeys = keys != null && keys.count(key -> trouble(key) != null) > 0;
        return isOfKeys ? "has keys in trouble" : own;
    }

    /**
     * What the dashboard shows of each live object, in this order. If it is empty, the page shows what is in {@link #state}:
     * numbers, counters by outcome and texts.
     */
    public List<Shown> shown() {
        return List.of();
    }

    /** Adds to what the actuator shows of the policy. */
    public void describePolicy(L live, Map<String, Object> policy) {}

    /**
     * Whether a key cannot change while the application runs, because the kind looks at it at startup only.
     *
     * @param key as in YAML: {@code backoff.base-delay}
     */
    public boolean isFixed(String key) {
        return false;
    }

    /**
     * The table of keys that have no effect beside other values. Asked at startup for each key that is configured for a policy; what
     * no other policy inherits and uses either is warned of.
     *
     * @param key as in YAML: {@code backoff.base-delay}
     * @param policy as it is with all that it inherits
     * @return why the key has no effect; {@code null} if it has one
     */
    public @Nullable String withoutEffect(String key, P policy) {
        return null;
    }

    /** A row of the table. */
    protected static @Nullable String because(boolean hasNoEffect, String why) {
        return hasNoEffect ? why : null;
    }

    /**
     * Warns of what only calls show to be wrong. Asked whenever the warnings are asked for, by any thread: an equal text is said once.
     */
    public void checkAtWork(L live, StartupWarnings warnings) {}

    /** What operators can do by the actuator. */
    public List<String> actions() {
        return List.of();
    }

    /** What else an operator may send with an action: names of components of {@link Action}, the needed ones first. */
    public List<String> actionFields() {
        return List.of();
    }

    /**
     * Does what an operator asks for.
     *
     * @param action one of {@link #actions()}
     * @return the answer; {@code null} for the new state
     * @throws Action.RefusedException if the action lacks what it needs
     */
    public @Nullable Map<String, Object> act(L live, Action action) {
        return null;
    }

    /**
     * What the health contributor shows of a live object.
     *
     * @param state in one word
     * @param isDown whether the application counts as down
     */
    public record Health(String state, boolean isDown) {}

    @Override
    public void reset(L live) {
        KeyedObjects<L> keys = keys(live);
        if (keys != null) {
            keys.clear();
        }
    }

    /** What the health contributor shows of a live object; {@code null} for nothing. */
    public @Nullable Health health(L live) {
        return null;
    }
}
