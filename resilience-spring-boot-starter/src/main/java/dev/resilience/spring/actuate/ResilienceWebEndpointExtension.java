package dev.resilience.spring.actuate;

import dev.resilience.spring.NearestNames;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.json.JsonWriter;

/** Answers over HTTP with a status and a body that tells what there is, where a request is for what does not exist. */
@EndpointWebExtension(endpoint = ResilienceEndpoint.class)
public class ResilienceWebEndpointExtension {

    static final int MAX_BODY = 64 * 1024;
    private static final List<String> FIELDS =
            List.of("action", "policy", "for", "key", "method", "caller", "as", "id", "all");
    private static final Pattern ALMOST_ZERO = Pattern.compile("\\d[eE]-0*[1-9]\\d{2}|\\.0{300}");

    private final ResilienceEndpoint endpoint;

    public ResilienceWebEndpointExtension(ResilienceEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> policies(@Selector String kind) {
        return answer(() -> endpoint.policies(kind));
    }

    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> policy(
            @Selector String kind, @Selector String name, @Nullable String key) {
        return answer(() -> endpoint.policy(kind, name, key));
    }

    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> act(
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
            @Nullable Boolean all,
            @Nullable String problem) {
        return answer(() -> {
            if (problem != null) {
                throw new InvalidEndpointRequestException(
                        EndpointRefusal.shortened(problem), "Send an object with some of the fields " + FIELDS);
            }
            return endpoint.act(kind, name, action, policy, duration, key, method, caller, as, id, all);
        });
    }

    private static WebEndpointResponse<Map<String, Object>> answer(Supplier<Map<String, Object>> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (InvalidEndpointRequestException refused) {
            return EndpointRefusal.answerTo(refused);
        }
    }

    /** Whether a handler, of Spring MVC or of WebFlux, is {@link #act}: those of all endpoints are of one class and differ by their text. */
    static boolean isHandledBy(@Nullable Object handler) {
        return String.valueOf(handler).endsWith(" endpoint 'resilience-kind-name'");
    }

    /**
     * A request's body, which may have an object as its {@code policy}: it goes on as a text, because Spring Boot reads
     * a body as texts by name and refuses everything nested. One that is not read is empty, so that the endpoint says why. What
     * Spring Boot would refuse without a reason or ignore goes on as a {@code problem}.
     */
    static byte[] readable(byte[] body) {
        Map<String, Object> parts;
        try {
            parts = parts(new String(body, StandardCharsets.UTF_8));
        } catch (JsonParseException noObject) {
            parts = Map.of("problem", "The body is no JSON object");
        }
        return JsonWriter.standard().writeToString(parts).getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, Object> parts(String json) {
        Map<String, Object> parts = new LinkedHashMap<>();
        Map<String, Object> read = JsonParserFactory.getJsonParser().parseMap(json);
        parts.putAll(read == null ? Map.of() : read);
        boolean isRequest = parts.containsKey("action") || parts.containsKey("policy");
        for (Map.Entry<String, Object> part : parts.entrySet()) {
            boolean isNested = part.getValue() instanceof Map || part.getValue() instanceof Collection;
            if (isRequest && !FIELDS.contains(part.getKey())) {
                return Map.of("problem", "There is no field '" + part.getKey() + "'");
            } else if (isNested && part.getKey().equals("policy")) {
                part.setValue(isReadable(json) ? JsonWriter.standard().writeToString(part.getValue()) : "");
            } else if (isNested) {
                return Map.of("problem", "The field '" + part.getKey() + "' has an object or a list");
            }
        }
        if (parts.containsKey("for")) { // which no parameter of Java's can be called
            parts.put("duration", String.valueOf(parts.remove("for")));
        }
        return parts;
    }

    /** Not so if it is longer than {@link #MAX_BODY}, or has a number that would be read as zero: a parser would not notice. */
    static boolean isReadable(String json) {
        return json.length() <= MAX_BODY && !ALMOST_ZERO.matcher(json).find();
    }

    /** Says to an operator what was wrong with a request, and what there is instead. */
    static final class EndpointRefusal extends InvalidEndpointRequestException {

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
            return shortened("No " + what + " '" + wanted + "'.") + (nearest.startsWith("Did") ? " " + nearest : "");
        }

        /** Of a text with a value as long as a body, the beginning and the end. */
        static String shortened(String text) {
            int end = text.length();
            return end < 600 ? text : text.substring(0, 200) + " … " + text.substring(end - 200);
        }
    }
}
