package dev.resilience.spring.actuate;

import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.KebabCase;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.actuate.ResilienceWebEndpointExtension.EndpointRefusal;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetterReplays;
import dev.resilience.spring.deadletter.DeadLetters;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import dev.resilience.time.Timestamps;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** The dead letters of all retry policies that keep any, and what operators do with them. Shows no arguments. */
public record DeadLetterEntries(LiveRegistry registry, DeadLetterMethods methods, DeadLetterReplays replays) {

    static final String KIND = "dead-letter";
    static final List<String> ACTIONS = List.of("replay", "discard");
    static final List<String> ACTION_FIELDS = List.of("id", "all");
    static final List<Shown> SHOWN =
            List.of(new Shown("letters", "size", As.AMOUNT), new Shown("calls", "calls", As.RATE));

    private static final int MAX_LISTED = 100;

    Map<String, Object> all() {
        Map<String, Object> entries = new LinkedHashMap<>();
        KeepingRetry.in(registry).forEach(retry -> entries.put(retry.name(), entry(retry)));
        return entries;
    }

    List<String> trouble() {
        return KeepingRetry.in(registry).stream()
                .filter(retry -> retry.letters().areInTrouble())
                .map(retry -> KIND + "/" + retry.name())
                .toList();
    }

    Map<String, Object> withLetters(String policy) {
        KeepingRetry retry = retry(policy);
        Map<String, Object> entry = entry(retry);
        entry.put(
                "letters",
                retry.letters().list(MAX_LISTED).stream().map(this::view).toList());
        return entry;
    }

    Map<String, Object> act(String policy, @Nullable String action, @Nullable String id, boolean all) {
        KeepingRetry retry = retry(policy);
        if (action == null || !ACTIONS.contains(action)) {
            throw EndpointRefusal.badAction(action, ACTIONS);
        }
        if (all == (id != null)) {
            throw new InvalidEndpointRequestException(
                    "No id", "Name the dead letter, {\"id\": \"...\"}, or take all of the policy, {\"all\": true}");
        }
        DeadLetters letters = retry.letters();
        Function<String, @Nullable Replayed> acting =
                action.equals("replay") ? each -> letters.replay(each, methods) : letters::discard;
        Map<String, Object> answer = new LinkedHashMap<>();
        if (id == null) {
            answer.put("letters", (long) letters.size());
            if (!replays.forAll(retry, acting)) {
                throw EndpointRefusal.conflict(
                        "Letters of '" + policy + "' are being replayed or discarded already.", "actions", ACTIONS);
            }
            return answer;
        }
        Replayed ended = acting.apply(id);
        if (ended == null) {
            throw missing(letters, id);
        }
        answer.put("id", id);
        answer.put("result", KebabCase.of(ended.result().name()));
        if (ended.failure() != null) {
            answer.put("failure", view(LetterFailure.of(ended.failure())));
        }
        return answer;
    }

    private static EndpointRefusal missing(DeadLetters letters, String id) {
        List<String> there = letters.list(MAX_LISTED).stream()
                .map(found -> found.letter().id())
                .toList();
        return letters.find(id) == null
                ? EndpointRefusal.notFound("dead letter", id, "ids", there)
                : EndpointRefusal.conflict("The dead letter '" + id + "' is being replayed.", "ids", there);
    }

    private KeepingRetry retry(String policy) {
        List<KeepingRetry> all = KeepingRetry.in(registry);
        List<String> names = all.stream().map(KeepingRetry::name).toList();
        if (!names.contains(policy)) {
            throw EndpointRefusal.notFound("retry policy with 'dead-letter: true'", policy, "names", names);
        }
        return all.get(names.indexOf(policy));
    }

    private Map<String, Object> entry(KeepingRetry retry) {
        DeadLetters letters = retry.letters();
        double size = letters.size();
        Map<String, Object> state = new LinkedHashMap<>();
        if (!Double.isNaN(size)) {
            state.put("size", (long) size);
        }
        state.put("calls", letters.calls().byLabel());
        String replay = KebabCase.of(retry.policy().deadLetterReplay().name());
        return ResilienceEndpoint.entry(
                state, registry.usedBy("retry", retry.name()), ACTIONS, Map.of("replay", replay));
    }

    private Map<String, Object> view(StoredLetter stored) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", stored.letter().id());
        view.put("method", stored.letter().operation());
        view.put("bean", stored.letter().bean());
        view.put("state", stored.state().name());
        view.put("storedAt", Timestamps.text(stored.storedAt()));
        view.put("attempts", stored.letter().attempts());
        view.put("failure", view(stored.letter().failure()));
        view.put("replays", stored.replays());
        if (stored.dueAt() != null) {
            view.put("dueAt", Timestamps.text(stored.dueAt()));
        }
        String unreadable = methods.whyNotReadable(stored.letter());
        if (unreadable != null) {
            view.put("unreadable", unreadable);
        }
        return view;
    }

    private static Map<String, Object> view(LetterFailure failure) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("type", failure.type());
        view.put("message", failure.message());
        return view;
    }
}
