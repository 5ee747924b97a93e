package dev.resilience.spring.actuate;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.json.JsonWriter;

/**
 * The body of a request to an actuator endpoint, which may have an object as its {@code policy}. Spring Boot reads a body as
 * texts by name and refuses everything nested, so the object goes on as a text, which {@link ResilienceEndpoint} reads.
 */
final class PolicyBody {

    private static final String POLICY = "policy";

    private PolicyBody() {}

    /**
     * The parts of the body, with a text as its policy.
     *
     * @throws org.springframework.boot.json.JsonParseException if it is no JSON object
     */
    static Map<String, Object> parts(byte[] body) {
        Map<String, Object> parts = new LinkedHashMap<>(
                JsonParserFactory.getJsonParser().parseMap(new String(body, StandardCharsets.UTF_8)));
        if (parts.get(POLICY) instanceof Map<?, ?> policy) {
            parts.put(POLICY, JsonWriter.standard().writeToString(policy));
        }
        return parts;
    }
}
