package dev.resilience.spring.actuate;

import dev.resilience.spring.NearestNames;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Says to an operator what was wrong with a request, and what there is instead. */
final class EndpointRefusal extends InvalidEndpointRequestException {

    private static final long serialVersionUID = 1;

    private final int status;
    private final transient Map<String, Object> body;

    private EndpointRefusal(int status, String error, String listed, Object there) {
        super(error + " There are these " + listed + ": " + there, error);
        this.status = status;
        this.body = new LinkedHashMap<>();
        body.put("error", error);
        body.put(listed, there);
    }

    /**
     * There is no such thing.
     *
     * @param listed what the existing ones are called together
     */
    static EndpointRefusal notFound(String what, String wanted, String listed, Collection<String> there) {
        return new EndpointRefusal(
                WebEndpointResponse.STATUS_NOT_FOUND, missing(what, wanted, there), listed, new TreeSet<>(there));
    }

    /** There are actions, but not this one. */
    static EndpointRefusal badAction(@Nullable String wanted, Collection<String> there) {
        String error = wanted == null
                ? "No action given: send {\"action\": \"...\"} as application/json."
                : missing("action", wanted, there);
        return new EndpointRefusal(WebEndpointResponse.STATUS_BAD_REQUEST, error, "actions", there);
    }

    /** Nothing of this kind can be acted on. */
    static EndpointRefusal noActions(String kind, Map<String, Collection<String>> there) {
        return new EndpointRefusal(
                WebEndpointResponse.STATUS_BAD_REQUEST,
                "Policies of kind '" + kind + "' have no actions.",
                "actions",
                there);
    }

    /** It is there, and cannot be acted on now. */
    static EndpointRefusal conflict(String error, String listed, Collection<String> there) {
        return new EndpointRefusal(409, error, listed, there);
    }

    /** The answer over HTTP to a request that was refused. */
    static WebEndpointResponse<Map<String, Object>> answerTo(InvalidEndpointRequestException refused) {
        if (refused instanceof EndpointRefusal refusal) {
            return new WebEndpointResponse<>(refusal.body, refusal.status);
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("error", String.valueOf(refused.getMessage()));
        body.put("reason", String.valueOf(refused.getReason()));
        return new WebEndpointResponse<>(body, WebEndpointResponse.STATUS_BAD_REQUEST);
    }

    private static String missing(String what, String wanted, Collection<String> there) {
        String nearest = NearestNames.suggest(wanted, there);
        return "No " + what + " '" + wanted + "'." + (nearest.startsWith("Did") ? " " + nearest : "");
    }
}
