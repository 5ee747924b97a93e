package dev.resilience.spring.actuate;

import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.actuate.ResilienceWebEndpointExtension.EndpointRefusal;
import dev.resilience.spring.kind.Action;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.RecordKeys;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;

/**
 * Shows every policy with its state and its users, and lets operators move circuit breakers, act on the records of
 * idempotency keys and change policies until the next restart. Reading makes nothing. A request for what does not exist is answered with what does.
 */
@Endpoint(id = "resilience")
public class ResilienceEndpoint {

    private static final int MAX_KEYS = 20;
    private static final int MAX_PROBLEMS = 10;
    private static final Duration MAX_TIME = Duration.ofDays(30);
    private static final Pattern LINE_BREAKS = Pattern.compile("\\s*\\R\\s*");

    /** Where a value is configured, as a startup reports it. */
    private static final Pattern PLACE = Pattern.compile("(?s)^.*?Property: (.+?)\\R\\s*Value: (.*?)\\R.*?Reason: ");

    /** A policy whose last call ended so is in trouble: its store does not answer, or an operator has to say what became of it. */
    private static final Map<String, String> TROUBLE = Map.of(
            "call-store-failure", "gets no answer from its store",
            "call-outcome-unknown", "has a call of which an operator must say whether it was executed");

    final Supplier<DefaultResilienceRegistry> registry;
    final StartupWarnings warnings;
    final EventLog events;
    final Supplier<DeadLetterEntries> deadLetters;

    /** The suppliers are asked with the first request, so that an application that needs nothing of them starts without. */
    public ResilienceEndpoint(
            Supplier<DefaultResilienceRegistry> registry,
            StartupWarnings warnings,
            EventLog events,
            Supplier<DeadLetterEntries> deadLetters) {
        this.registry = registry;
        this.warnings = warnings;
        this.events = events;
        this.deadLetters = deadLetters;
    }

    private LiveRegistry liveObjects() {
        return registry.get().live();
    }

    private Kinds kinds() {
        return registry.get().kinds();
    }

    /** Everything, by kind and name. */
    @ReadOperation
    public Map<String, Object> resilience() {
        Map<String, Object> all = new LinkedHashMap<>();
        List<String> trouble = new ArrayList<>();
        all.put("trouble", trouble);
        for (ConfiguredKind<?, ?, ?> kind : kinds().configured()) {
            all.put(kind.id(), entries(kind));
            trouble.addAll(trouble(kind));
        }
        all.put(DeadLetterEntries.KIND, deadLetters.get().all());
        trouble.addAll(deadLetters.get().trouble());
        all.put("warnings", warnings.all());
        return all;
    }

    /**
     * The policies of one kind by name.
     *
     * @throws InvalidEndpointRequestException for a kind that does not exist; it names those that do
     */
    @ReadOperation
    public Map<String, Object> policies(@Selector String kind) {
        return kind.equals(DeadLetterEntries.KIND) ? deadLetters.get().all() : entries(kind(kind));
    }

    /**
     * One policy, with its last events, or what it has for one key.
     *
     * @param key of calls, where each key has a live object of its own
     * @throws InvalidEndpointRequestException for a kind, a name or a key that does not exist; it names those that do
     */
    @ReadOperation
    public Map<String, Object> policy(@Selector String kind, @Selector String name, @Nullable String key) {
        if (kind.equals(DeadLetterEntries.KIND)) {
            refuse("dead letters are listed without", key);
            return deadLetters.get().withLetters(name);
        }
        return key == null ? entryWithEvents(kind(kind), name) : byKey(kind(kind), name, key);
    }

    /**
     * Acts on a live object: moves a circuit breaker, looks after the records of an idempotency key, replays or discards a
     * dead letter, or changes the policy.
     *
     * @param action what to do; not given if the policy changes
     * @param policy what changes of it: a JSON object with keys as in YAML, nested or dotted
     * @param duration after how long the policy goes back, {@code 10m}, over HTTP {@code for}; not at all if not given
     * @param key the idempotency key, or one that has a circuit breaker of its own
     * @param method the method that was called with it; all that use the policy if not given
     * @param caller who called; everybody if not given
     * @param as what became of a call that is resolved: {@code executed} or {@code not-executed}
     * @param id the dead letter
     * @param all whether all dead letters of the policy are meant, which is done in the background
     * @return the answer of the action, or else the new entry
     * @throws InvalidEndpointRequestException for a kind, a name or an action that does not exist, or an action that lacks
     *     what it needs; it tells what there is
     */
    @WriteOperation
    public Map<String, Object> act(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String policy,
            @Nullable String duration,
            @Nullable String key,
            @Nullable String method,
            @Nullable String caller,
            @Nullable String as,
            @Nullable String id,
            @Nullable Boolean all) {
        if (kind.equals(DeadLetterEntries.KIND)) {
            refuse("nothing but 'action' and 'id' or 'all' does", policy, duration, key, method, caller, as);
            return deadLetters.get().act(name, action, id, Boolean.TRUE.equals(all));
        }
        ConfiguredKind<?, ?, ?> known = kind(kind);
        live(known, name);
        refuse("'id' and 'all' name dead letters", id, all);
        if (policy != null) {
            refuse("a policy changes for all, and these say what an action is for", key, method, caller, as);
            return change(known, name, action, policy, duration);
        }
        refuse("'for' is the time of a change of the policy", duration);
        if (known.actions().isEmpty()) {
            throw EndpointRefusal.noActions(kind, actions());
        }
        if (action == null || !known.actions().contains(action)) {
            throw EndpointRefusal.badAction(action, known.actions());
        }
        Map<String, Object> answer = act(known, name, new Action(action, key, method, caller, as));
        return answer == null ? policy(kind, name, key) : answer;
    }

    /** What would be ignored may have been meant to say which. */
    private static void refuse(String why, @Nullable Object... ignored) {
        if (Stream.of(ignored).anyMatch(Objects::nonNull)) {
            throw new InvalidEndpointRequestException("The request has a field without effect", "Leave it out: " + why);
        }
    }

    private <L extends LiveObject<?>> @Nullable Map<String, Object> act(
            ConfiguredKind<?, ?, L> kind, String name, Action action) {
        try {
            String key = live(kind, name) instanceof PerKey ? action.key() : null;
            return kind.act(key == null ? live(kind, name) : ofKey(kind, name, key), action);
        } catch (Action.RefusedException refused) {
            throw new InvalidEndpointRequestException(
                    EndpointRefusal.shortened(String.valueOf(refused.getMessage())), refused.cure());
        }
    }

    private <P extends Record, L extends LiveObject<P>> Map<String, Object> change(
            ConfiguredKind<?, P, L> kind,
            String name,
            @Nullable String action,
            String policy,
            @Nullable String duration) {
        if (action != null) {
            throw new InvalidEndpointRequestException(
                    "Both an action and a policy are given.", "Send one of them at a time.");
        }
        try {
            if (!ResilienceWebEndpointExtension.isReadable(policy)) {
                throw new JsonParseException();
            }
            registry.get()
                    .changes()
                    .change(
                            kind,
                            live(kind, name),
                            JsonParserFactory.getJsonParser().parseMap(policy),
                            duration == null ? null : time(duration),
                            "endpoint");
        } catch (JsonParseException noObject) {
            throw new InvalidEndpointRequestException(
                    "The policy is no JSON object of at most 64 KB, or has a number that is almost zero.",
                    "Send {\"policy\": {\"key\": \"new value\"}} as application/json.");
        } catch (ResilienceConfigurationException invalid) {
            throw new InvalidEndpointRequestException(
                    inOneLine(invalid, problem -> String.valueOf(problem.getMessage())),
                    inOneLine(invalid, ResilienceConfigurationException::action));
        } catch (IllegalArgumentException | UnsupportedOperationException fixed) {
            throw new InvalidEndpointRequestException(
                    String.valueOf(fixed.getMessage()), "Change the configuration and restart the application.");
        }
        return entryWithEvents(kind, name);
    }

    private static Duration time(String text) {
        try {
            Duration time = DurationStyle.detectAndParse(text);
            boolean hasUnit = !Character.isDigit(text.charAt(text.length() - 1));
            if (hasUnit && time.compareTo(Duration.ZERO) > 0 && time.compareTo(MAX_TIME) <= 0) {
                return time;
            }
        } catch (IllegalArgumentException | ArithmeticException unreadable) { // reported as the others
        }
        throw new InvalidEndpointRequestException(
                "'for' is '" + EndpointRefusal.shortened(text) + "', which is no time of up to 30 days with a unit.",
                "Write a number and a unit: 30s, 10m, 2h.");
    }

    /** Without the lines of a startup's report, and of many problems the first. */
    private static String inOneLine(
            ResilienceConfigurationException invalid, Function<ResilienceConfigurationException, String> text) {
        List<ResilienceConfigurationException> problems = invalid.problems();
        int more = problems.size() - MAX_PROBLEMS;
        return problems.stream()
                        .limit(MAX_PROBLEMS)
                        .map(text)
                        .map(lines -> PLACE.matcher(lines).replaceFirst("$1 = $2: "))
                        .map(lines -> LINE_BREAKS.matcher(lines).replaceAll(" "))
                        .map(EndpointRefusal::shortened)
                        .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "");
    }

    private Map<String, Collection<String>> actions() {
        Map<String, Collection<String>> actions = new LinkedHashMap<>();
        kinds().configured().stream()
                .filter(kind -> !kind.actions().isEmpty())
                .forEach(kind -> actions.put(kind.id(), kind.actions()));
        actions.put(DeadLetterEntries.KIND, DeadLetterEntries.ACTIONS);
        return actions;
    }

    private <L extends LiveObject<?>> List<String> trouble(ConfiguredKind<?, ?, L> kind) {
        return liveObjects().<L>ofKind(kind.id()).entrySet().stream()
                .filter(named -> trouble(kind, named.getKey(), named.getValue()) != null)
                .map(named -> kind.id() + "/" + named.getKey())
                .toList();
    }

    /** What its trouble is, in words that follow its name; {@code null} if it is in none. */
    <L extends LiveObject<?>> @Nullable String trouble(ConfiguredKind<?, ?, L> kind, String name, L live) {
        String now = kind.troubleWithKeys(live);
        return now != null ? now : TROUBLE.get(String.valueOf(events.lastType(kind.id(), name)));
    }

    /** What no method uses comes last. */
    private Map<String, Object> entries(ConfiguredKind<?, ?, ?> kind) {
        Map<String, Object> entries = new LinkedHashMap<>();
        liveObjects().ofKind(kind.id()).keySet().stream()
                .sorted(Comparator.comparing(
                        name -> liveObjects().usedBy(kind.id(), name).isEmpty()))
                .forEach(name -> entries.put(name, entry(kind, name)));
        return entries;
    }

    private Map<String, Object> entryWithEvents(ConfiguredKind<?, ?, ?> kind, String name) {
        Map<String, Object> entry = entry(kind, name);
        entry.put("events", events.of(kind.id(), name));
        return entry;
    }

    private <L extends LiveObject<?>> Map<String, Object> entry(ConfiguredKind<?, ?, L> kind, String name) {
        L live = live(kind, name);
        Map<String, Object> policy = JsonView.guarded(shown -> {
            Map<String, Object> values = RecordKeys.view(live.policy());
            kind.describePolicy(live, values);
            shown.putAll(values);
            shown.put("enabled", liveObjects().isEnabled(kind.id(), name) ? null : false);
        });
        Map<String, Object> state = JsonView.guarded(shown -> {
            shown.putAll(kind.state(live));
            KeyedObjects<L> keys = ConfiguredKind.keys(live);
            shown.put("keys", keys == null ? null : some(kind, keys));
        });
        Map<String, Object> entry = entry(state, liveObjects().usedBy(kind.id(), name), kind.actions(), policy);
        entry.putAll(registry.get().changes().view(live));
        return entry;
    }

    /** The states of those in trouble or moved by hand, and of others if there is room. */
    private static <L extends LiveObject<?>> Map<String, Object> some(
            ConfiguredKind<?, ?, L> kind, KeyedObjects<L> keys) {
        return keys.some(
                MAX_KEYS,
                key -> kind.trouble(key) != null || (key instanceof PerKey<?> moved && moved.stays()),
                kind::state);
    }

    private <L extends LiveObject<?>> Map<String, Object> byKey(ConfiguredKind<?, ?, L> kind, String name, String key) {
        return Map.of("state", kind.state(ofKey(kind, name, key)), "actions", kind.actions());
    }

    private <L extends LiveObject<?>> L ofKey(ConfiguredKind<?, ?, L> kind, String name, String key) {
        KeyedObjects<L> keys = ConfiguredKind.keys(live(kind, name));
        L ofKey = keys == null ? null : keys.find(key);
        if (ofKey == null) {
            Set<String> some = keys == null ? Set.of() : some(kind, keys).keySet();
            throw EndpointRefusal.notFound("key of " + kind.id() + " policy '" + name + "'", key, "keys", some);
        }
        return ofKey;
    }

    /** What is shown of a policy of any kind. */
    static Map<String, Object> entry(Object state, Object usedBy, Object actions, Object policy) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("state", state);
        entry.put("usedBy", usedBy);
        entry.put("actions", actions);
        entry.put("policy", policy);
        return entry;
    }

    private <L extends LiveObject<?>> L live(ConfiguredKind<?, ?, L> kind, String name) {
        Map<String, L> all = liveObjects().ofKind(kind.id());
        L live = all.get(name);
        if (live == null) {
            throw EndpointRefusal.notFound(kind.id() + " policy", name, "names", all.keySet());
        }
        return live;
    }

    private ConfiguredKind<?, ?, ?> kind(String id) {
        ConfiguredKind<?, ?, ?> kind = kinds().find(id);
        if (kind == null) {
            List<String> known = new ArrayList<>(List.of(DeadLetterEntries.KIND));
            kinds().configured().forEach(each -> known.add(each.id()));
            throw EndpointRefusal.notFound("kind", id, "kinds", known);
        }
        return kind;
    }
}
