package dev.resilience.spring.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.spring.kind.Action;
import dev.resilience.spring.kind.ActionRefusedException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What operators do with the records of a key: look them up, say what became of abandoned ones, delete them. Shows
 * neither keys nor what was stored.
 */
final class IdempotencyActions {

    static final List<String> ALL = List.of("look-up", "resolve", "delete");

    private static final String PACKAGES = "\\b(?:[a-z_]\\w*\\.)+(?=[A-Z])";
    private static final String OUTER_CLASSES = "\\w+\\$";
    private static final String BEAN = "@.*$";

    private IdempotencyActions() {}

    static Map<String, Object> act(Idempotency idempotency, Action action) {
        String key = action.key();
        if (key == null) {
            throw new ActionRefusedException("No key", "Name the idempotency key: {\"key\": \"...\"}");
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
                store.find(selection).stream().map(IdempotencyActions::view).toList());
        return answer;
    }

    private static RecordSelection selection(String key, Set<String> methods, @Nullable String caller) {
        try {
            return new RecordSelection(key, methods, caller);
        } catch (IdempotencyKeyInvalidException invalid) {
            throw new ActionRefusedException("No key", String.valueOf(invalid.getMessage()));
        }
    }

    private static boolean isExecuted(@Nullable String as) {
        if ("executed".equals(as)) {
            return true;
        }
        if ("not-executed".equals(as)) {
            return false;
        }
        throw new ActionRefusedException(
                as == null ? "No 'as'" : "'as' cannot be '" + as + "'",
                "Say what became of the call: \"as\": \"executed\" or \"as\": \"not-executed\"");
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
                        || brief(full).replaceFirst(BEAN, "").equals(wanted))
                .collect(Collectors.toSet());
        if (named.isEmpty()) {
            throw new ActionRefusedException(
                    "No method '" + method + "'",
                    "The methods are: "
                            + all.stream()
                                    .map(IdempotencyActions::brief)
                                    .sorted()
                                    .toList());
        }
        return named;
    }

    private static String brief(String method) {
        return method.replaceAll(PACKAGES, "")
                .replaceAll(OUTER_CLASSES, "")
                .replace(",", ", ")
                .replace(",  ", ", ");
    }

    private static Map<String, Object> view(RecordSummary summary) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("method", brief(summary.operation()));
        view.put("callerHash", summary.callerHash());
        view.put("state", summary.state().name());
        if (summary.left() != null) {
            view.put("left", summary.left().toString());
        }
        return view;
    }
}
