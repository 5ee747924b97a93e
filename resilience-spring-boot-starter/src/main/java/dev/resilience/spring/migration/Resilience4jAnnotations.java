package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The annotations of Resilience4j, which name a policy and a fallback. */
record Resilience4jAnnotations(Project project) {

    /** Our annotation and the part of their configuration, by their annotation. */
    private static final Map<String, List<String>> KINDS = Map.of(
            "Retry", List.of("Retryable", "retry"),
            "CircuitBreaker", List.of("CircuitBreaker", "circuitbreaker"),
            "Bulkhead", List.of("Bulkhead", "bulkhead"),
            "TimeLimiter", List.of("TimeLimit", "timelimiter"));

    /** The annotation that both kinds of bulkheads share. */
    static final String BULKHEAD = Libraries.RESILIENCE4J + "bulkhead.annotation.Bulkhead";

    private static final Pattern NOT_PLAIN = Pattern.compile("#|^\\w+::");

    Converted convert(AnnotationUse use, String annotation) throws Undecided {
        List<String> kind = KINDS.get(annotation);
        if (kind == null) {
            throw new Undecided(
                    annotation.equals("RateLimiter")
                            ? "this version has no rate limits"
                            : "@" + annotation + " has no equivalent: every policy has its meters");
        }
        List<Token> name = use.attributes().get("name");
        if (name == null) {
            throw new Undecided("it has no name");
        }
        String literal = project.constant(name);
        if (literal != null && NOT_PLAIN.matcher(literal).find()) {
            throw new Undecided("a policy's name is a literal or a ${placeholder}, not an expression");
        }
        Converted converted = new Converted(kind.get(1), kind.get(0));
        converted.attributes.put("value", Expressions.source(name));
        converted.fallback = fallback(use);
        boolean isPool = isPool(use);
        if (isPool && literal != null && project.pools().isTaken(literal)) {
            boolean isWritten = Expressions.text(name) != null;
            String renamed = project.pools().of(literal);
            converted.attributes.put(
                    "value",
                    isWritten
                            ? '"' + renamed + '"'
                            : Expressions.source(name) + " + \"" + renamed.substring(literal.length()) + '"');
            project.notes.add(
                    "a thread pool and a semaphore of one name are two bulkheads there; the pool has '-pool' behind "
                            + "its name here");
        }
        if (literal == null || literal.contains("${")) {
            converted.decisions.add(
                    "the policy's name is not known here; if no file has the policy, the startup fails");
        } else {
            String key =
                    "resilience4j." + (isPool ? "thread-pool-bulkhead" : kind.get(1)) + ".instances.[" + literal + "]";
            List<Token> base = use.attributes().get("configuration");
            String config = base == null ? null : project.constant(base);
            converted.keys.put(config == null ? key : key + ".base-config", config == null ? "" : config);
        }
        return converted;
    }

    /** Whether a bulkhead is a thread pool. */
    static boolean isPool(AnnotationUse use) {
        List<Token> type = use.attributes().get("type");
        return type != null && type.get(type.size() - 1).is("THREADPOOL");
    }

    /** The name of the fallback; {@code null} if there is none. */
    private static @Nullable String fallback(AnnotationUse use) throws Undecided {
        List<Token> written = use.attributes().get("fallbackMethod");
        if (written == null || written.get(0).is("\"\"")) {
            return null;
        }
        String literal = Expressions.text(written);
        if (literal != null && NOT_PLAIN.matcher(literal).find()) {
            throw new Undecided("fallbackMethod is not the name of a method of this class");
        }
        return Expressions.source(written);
    }
}
