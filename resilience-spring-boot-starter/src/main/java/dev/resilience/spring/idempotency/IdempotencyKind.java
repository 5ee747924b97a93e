package dev.resilience.spring.idempotency;

import static dev.resilience.spring.WarningId.BROAD_REPLAY_EXCEPTIONS;

import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.idempotency.CallFromCode;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.pipeline.Layer;
import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.idempotency.attempt.TransactionalExecution;
import dev.resilience.spring.kind.Action;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Idempotency: {@code @Idempotent} and {@code resilience.idempotency}. */
public final class IdempotencyKind extends ConfiguredKind<Idempotent, IdempotencyPolicy, Idempotency> {

    /** Packages and outer classes. */
    private static final Pattern QUALIFIERS = Pattern.compile("\\b(?:[a-z_]\\w*\\.)+(?=[A-Z])|\\w+\\$");

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.idempotency.calls", "calls", "Calls of idempotent methods by how they ended");
    private static final MeterFamily MEMORY_USED = new MeterFamily(
            "resilience.idempotency.memory.used",
            null,
            "Bytes that records of idempotent calls hold in this process, about");
    private static final MeterFamily MEMORY_LIMIT = new MeterFamily(
            "resilience.idempotency.memory.limit",
            null,
            "Bytes that records of idempotent calls may hold in this process; beyond them calls with new keys are refused");

    public IdempotencyKind() {
        super("idempotency", Idempotent.class, "fallback", IdempotencyPolicy.defaults());
    }

    @Override
    public String layerName() {
        return "idempotent";
    }

    /** The annotation's fingerprint is an expression, the policy's a switch. */
    @Override
    public String keyOf(String attribute) {
        return attribute.equals("fingerprint") ? "" : super.keyOf(attribute);
    }

    @Override
    public Idempotency create(String name, IdempotencyPolicy policy, KindContext context) {
        List<String> broad = policy.replayExceptions().stream()
                .filter(listed -> listed.isAssignableFrom(RuntimeException.class))
                .map(Class::getName)
                .toList();
        if (!broad.isEmpty()) {
            context.warnings()
                    .add(BROAD_REPLAY_EXCEPTIONS.of(PropertyNames.of("resilience.idempotency", name)
                            + ".replay-exceptions lists " + String.join(", ", broad) + ": a bug's exception is "
                            + "replayed for as long as 'ttl' says, and whoever can write to the store chooses which "
                            + "exception class is loaded here. List the exceptions that are answers of your methods"));
        }
        IdempotencyStore store = context.beans(IdempotencyStore.class).getObject();
        BiFunction<Idempotency, Type, Function<CallFromCode, Layer>> fromCode = (idempotency, type) ->
                context.beans(LiveRegistry.class).getObject().isEnabled(id(), name)
                        ? context.beans(IdempotentMethods.class).getObject().fromCode(idempotency, type)
                        : call -> next -> next;
        return new Idempotency(
                name, policy, store, context.environmentWithWaits(), TransactionalExecution::new, fromCode);
    }

    @Override
    public @Nullable String withoutEffect(String key, IdempotencyPolicy policy) {
        boolean waits = policy.onInProgress() == IdempotencyPolicy.OnInProgress.WAIT;
        return because(key.equals("wait-timeout") && !waits, "on-in-progress is reject");
    }

    @Override
    public @Nullable Layer layer(ProtectedMethod<Idempotent> method) {
        StartupProblems problems = new StartupProblems();
        Idempotency idempotency = problems.collect(() -> method.live(this));
        IdempotentMethod layer = method.isAsynchronous() == null // which is told already
                ? null
                : problems.collect(
                        () -> method.beans(IdempotentMethods.class).getObject().create(method, idempotency));
        problems.throwIfAny();
        return layer;
    }

    @Override
    public Map<String, Object> state(Idempotency idempotency) {
        return new LinkedHashMap<>(Map.of("calls", idempotency.calls().byLabel()));
    }

    @Override
    public List<Shown> shown() {
        return List.of(new Shown("calls", "calls", As.RATE));
    }

    @Override
    public void meters(Idempotency idempotency, Meters meters) {
        meters.outcomes(CALLS, idempotency.calls());
        if (idempotency.store() instanceof MemoryIdempotencyStore memory) { // one for all policies
            meters.ofAll().gauge(MEMORY_USED, memory, MemoryIdempotencyStore::bytes);
            meters.ofAll().gauge(MEMORY_LIMIT, memory, MemoryIdempotencyStore::maxBytes);
        }
    }

    @Override
    public List<String> actions() {
        return List.of("look-up", "resolve", "delete");
    }

    @Override
    public List<String> actionFields() {
        return List.of("key", "method", "caller", "as");
    }

    /**
     * What operators do with the records of a key: look them up, say what became of abandoned ones, delete them. Shows
     * neither keys nor what was stored.
     */
    @Override
    public Map<String, Object> act(Idempotency idempotency, Action action) {
        String key = action.key();
        if (key == null) {
            throw new Action.RefusedException("No key", "Name the idempotency key: {\"key\": \"...\"}");
        }
        RecordSelection selection = selection(key, methods(idempotency, action.method()), action.caller());
        IdempotencyStore store = idempotency.store();
        Map<String, Object> answer = new LinkedHashMap<>();
        if (action.name().equals("resolve")) {
            answer.put("resolved", store.resolve(selection, isExecuted(action.as())));
        } else if (action.name().equals("delete")) {
            answer.put("deleted", store.delete(selection));
        }
        answer.put(
                "records",
                store.find(selection).stream().map(IdempotencyKind::view).toList());
        return answer;
    }

    private static RecordSelection selection(String key, Set<String> methods, @Nullable String caller) {
        try {
            return new RecordSelection(key, methods, caller);
        } catch (IdempotencyKeyInvalidException invalid) {
            throw new Action.RefusedException("No key", String.valueOf(invalid.getMessage()));
        }
    }

    private static boolean isExecuted(@Nullable String as) {
        boolean isExecuted = "executed".equals(as);
        if (!isExecuted && !"not-executed".equals(as)) {
            throw new Action.RefusedException(
                    as == null ? "No 'as'" : "'as' cannot be '" + as + "'",
                    "Say what became of the call: \"as\": \"executed\" or \"as\": \"not-executed\"");
        }
        return isExecuted;
    }

    /** A method may be named as the endpoint shows it or in full; without the bean that some have, for all their beans. */
    private static Set<String> methods(Idempotency idempotency, @Nullable String method) {
        Set<String> all = idempotency.operations();
        if (method == null) {
            return all;
        }
        String wanted = brief(method);
        Set<String> named = all.stream()
                .filter(full -> brief(full).equals(wanted)
                        || brief(full.replaceFirst("@.*", "")).equals(wanted))
                .collect(Collectors.toSet());
        if (named.isEmpty()) {
            Set<String> known = all.stream().map(IdempotencyKind::brief).collect(Collectors.toCollection(TreeSet::new));
            throw new Action.RefusedException("No method '" + method + "'", "The methods are: " + known);
        }
        return named;
    }

    private static String brief(String method) {
        return QUALIFIERS.matcher(method).replaceAll("").replaceAll(",\\s*", ", ");
    }

    private static Map<String, Object> view(RecordSummary summary) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("method", brief(summary.operation()));
        view.put("caller", summary.callerHash());
        view.put("state", summary.state().name());
        if (summary.left() != null) {
            view.put("left", summary.left().toString());
        }
        return view;
    }
}
