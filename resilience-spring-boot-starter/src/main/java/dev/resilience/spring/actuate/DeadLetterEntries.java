package dev.resilience.spring.actuate;

import dev.resilience.deadletter.DeadLetters;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.LetterReplayer;
import dev.resilience.deadletter.Replayed;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.retry.Retry;
import dev.resilience.spring.KebabCase;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.time.Timestamps;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** The dead letters of all retry policies that keep any, and what operators do with them. Shows no arguments. */
record DeadLetterEntries(LiveRegistry registry, LetterReplayer replayer) {

    static final String KIND = "dead-letter";
    static final List<String> ACTIONS = List.of("replay", "discard");

    private static final int MOST_LISTED = 100;

    Map<String, Object> all() {
        Map<String, Object> entries = new LinkedHashMap<>();
        keeping().forEach((name, retry) -> entries.put(name, entry(name, retry)));
        return entries;
    }

    Map<String, Object> withLetters(String policy) {
        Retry retry = retry(policy);
        Map<String, Object> entry = entry(policy, retry);
        entry.put(
                "letters",
                letters(retry).list(MOST_LISTED).stream().map(this::view).toList());
        return entry;
    }

    Map<String, Object> act(String policy, @Nullable String action, @Nullable String id) {
        DeadLetters letters = letters(retry(policy));
        if (action == null || !ACTIONS.contains(action)) {
            throw EndpointRefusal.badAction(action, ACTIONS);
        }
        if (id == null) {
            throw new InvalidEndpointRequestException("No id", "Name the dead letter: {\"id\": \"...\"}");
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("id", id);
        if (action.equals("discard")) {
            if (!letters.discard(id)) {
                throw missing(letters, id);
            }
            answer.put("result", "discarded");
            return answer;
        }
        Replayed replayed = letters.replay(id, replayer);
        if (replayed == null) {
            throw missing(letters, id);
        }
        answer.put("result", KebabCase.of(replayed.result().name()));
        if (replayed.failure() != null) {
            answer.put("failure", view(LetterFailure.of(replayed.failure())));
        }
        return answer;
    }

    private static EndpointRefusal missing(DeadLetters letters, String id) {
        List<String> there = letters.list(MOST_LISTED).stream()
                .map(found -> found.letter().id())
                .toList();
        return letters.find(id) == null
                ? EndpointRefusal.notFound("dead letter", id, "ids", there)
                : EndpointRefusal.conflict("The dead letter '" + id + "' is being replayed.", "ids", there);
    }

    private Map<String, Retry> keeping() {
        Map<String, Retry> all = registry.ofKind("retry");
        Map<String, Retry> keeping = new TreeMap<>(all);
        keeping.values().removeIf(retry -> retry.deadLetters() == null);
        return keeping;
    }

    private Retry retry(String policy) {
        Map<String, Retry> keeping = keeping();
        Retry retry = keeping.get(policy);
        if (retry == null) {
            throw EndpointRefusal.notFound("retry policy with 'dead-letter: true'", policy, "names", keeping.keySet());
        }
        return retry;
    }

    private static DeadLetters letters(Retry retry) {
        return Objects.requireNonNull(retry.deadLetters());
    }

    private Map<String, Object> entry(String name, Retry retry) {
        DeadLetters letters = letters(retry);
        double size = letters.size();
        Map<String, Object> state = new LinkedHashMap<>();
        if (!Double.isNaN(size)) {
            state.put("size", (long) size);
        }
        state.put("calls", letters.calls().byLabel());
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put(
                "policy",
                Map.of("replay", KebabCase.of(retry.policy().deadLetterReplay().name())));
        entry.put("state", state);
        entry.put("usedBy", registry.usedBy("retry", name));
        return entry;
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
        if (stored.replayFailure() != null) {
            view.put("replayFailure", view(stored.replayFailure()));
        }
        if (stored.dueAt() != null) {
            view.put("dueAt", Timestamps.text(stored.dueAt()));
        }
        String unreadable = replayer.whyNotReadable(stored.letter());
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
