package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Token;
import dev.resilience.spring.properties.unknown.ForeignKeys;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The annotations of Spring Retry and of Spring Framework, whose attributes are numbers and classes. */
final class SpringAnnotations {

    /** Attributes of this library by kind and key; all other keys are written as YAML. */
    private static final Map<String, String> ATTRIBUTES = Map.ofEntries(
            Map.entry("retry/max-attempts", "maxAttempts"),
            Map.entry("retry/backoff.base-delay", "delay"),
            Map.entry("retry/backoff.multiplier", "multiplier"),
            Map.entry("retry/backoff.max-delay", "maxDelay"),
            Map.entry("retry/retry-on", "retryOn"),
            Map.entry("retry/do-not-retry-on", "doNotRetryOn"),
            Map.entry("bulkhead/max-concurrent", "maxConcurrent"));

    private static final Map<String, String> VALUE = Map.of("retry", "retry-for", "bulkhead", "limit");
    private static final Set<String> TIMES = Set.of("backoff.base-delay", "backoff.max-delay", "max-duration");

    private final ForeignKeys table = new ForeignKeys();
    private final boolean isFramework;

    SpringAnnotations(boolean isFramework) {
        this.isFramework = isFramework;
    }

    Converted convert(AnnotationUse use, String annotation) throws Undecided {
        Converted converted = switch (annotation) {
            case "Retryable" -> new Converted("retry", "Retryable");
            case "CircuitBreaker" ->
                throw new Undecided(
                        "a breaker of Spring Retry counts otherwise: see '@CircuitBreaker' in docs/from-spring-retry.md");
            default -> new Converted("bulkhead", "Bulkhead");
        };
        Map<String, List<Token>> written = flat(use);
        String unit = Expressions.unit(written.remove("timeUnit"));
        for (Map.Entry<String, List<Token>> attribute : written.entrySet()) {
            add(converted, attribute.getKey(), attribute.getValue(), unit);
        }
        switch (converted.kind) {
            case "retry" -> {
                SpringBackoff.complete(converted, written, isFramework);
                if (!converted.attributes.containsKey("retryOn")) {
                    converted.attributes.put("retryUnknown", "true");
                }
            }
            default -> completeLimit(converted, written.get("policy"));
        }
        return converted;
    }

    /** The attributes, those of a nested {@code @Backoff} with its name before theirs. */
    private static Map<String, List<Token>> flat(AnnotationUse use) throws Undecided {
        Map<String, List<Token>> flat = new LinkedHashMap<>();
        for (Map.Entry<String, List<Token>> attribute : use.attributes().entrySet()) {
            if (!attribute.getKey().equals("backoff")) {
                flat.put(attribute.getKey(), attribute.getValue());
                continue;
            }
            AnnotationUse backoff = AnnotationUse.read(attribute.getValue(), 0);
            if (backoff == null) {
                throw new Undecided("backoff cannot be read");
            }
            backoff.attributes().forEach((name, value) -> flat.put("backoff." + name, value));
        }
        return flat;
    }

    private void add(Converted converted, String name, List<Token> value, String unit) throws Undecided {
        boolean isText = name.matches(".+(Expression|String)") && !name.equals("exceptionExpression");
        String plain = isText ? name.replaceFirst("(Expression|String)$", "") : name;
        if (isText && value.size() == 1 && value.get(0).is("\"\"")) {
            return; // the default
        }
        if (plain.equals("recover")) {
            converted.fallback = Expressions.source(value);
        } else if (!Set.of("policy", "jitter", "backoff.random").contains(plain)) {
            String foreign = plain.equals("value")
                    ? VALUE.getOrDefault(converted.kind, plain)
                    : plain.equals("backoff.value") ? "backoff.delay" : plain;
            if (isFramework && plain.equals("maxAttempts")) {
                foreign = "max-retries"; // its name before 7.0.0, where the first call did not count
                converted.decisions.add("maxAttempts did not count the first call before Spring Framework 7.0.0,"
                        + " the only versions that had it");
            }
            ForeignKeys.Entry entry = table.find(converted.kind, foreign);
            if (entry == null || (entry.ours().isEmpty() && !entry.isNeedless())) {
                throw new Undecided(plain + " has no equivalent" + (entry == null ? "" : ": " + entry.remark()));
            }
            if (entry.rule().equals("none")) {
                throw new Undecided("write '" + entry.ours() + "' in place of " + plain + ": " + entry.remark());
            }
            if (entry.isNeedless()) {
                converted.decisions.add(plain + " is left out: " + entry.remark());
            } else {
                translate(converted, entry, plain, value, isText, unit);
            }
        }
    }

    private void translate(
            Converted converted, ForeignKeys.Entry entry, String name, List<Token> value, boolean isText, String unit)
            throws Undecided {
        String key = entry.ours();
        String attribute = ATTRIBUTES.get(converted.kind + "/" + key);
        if (value.size() == 2 && value.get(0).is("{")) {
            return; // no exceptions, the default
        }
        if (TIMES.contains(key)) {
            String duration = isText
                    ? Expressions.duration(Expressions.placeholder(name, value), unit, converted)
                    : Expressions.duration(value, unit);
            if (attribute != null) {
                converted.attributes.put(attribute, duration);
            } else if (duration.startsWith("\"")) {
                converted.keys.put(key, duration.substring(1, duration.length() - 1));
            } else {
                throw new Undecided("write '" + key + "' in place of " + name + ": its value is a constant");
            }
        } else if (isText) {
            String text = Expressions.placeholder(name, value);
            if (entry.rule().equals("plus-one")) {
                throw new Undecided("write '" + key + "' in place of " + name + ": " + entry.remark()
                        + ", so that the value of " + text + " grows by one");
            }
            converted.keys.put(key, text);
        } else if (attribute != null) {
            Long number = Expressions.number(value);
            boolean grows = entry.rule().equals("plus-one");
            String one = !grows
                    ? Expressions.source(value)
                    : number != null ? String.valueOf(number + 1) : "(int) " + Expressions.operand(value) + " + 1";
            converted.attributes.put(attribute, number != null && !grows ? String.valueOf(number) : one);
        }
    }

    private static void completeLimit(Converted converted, @Nullable List<Token> policy) throws Undecided {
        String limit = converted.attributes.getOrDefault("maxConcurrent", "");
        if (limit.startsWith("-")) {
            throw new Undecided("a limit of " + limit.replace(" ", "") + " is none: remove the annotation");
        }
        if (policy != null && policy.get(policy.size() - 1).is("REJECT")) {
            converted.attributes.put("maxQueue", "0");
        } else {
            converted.decisions.add("callers waited in a queue without end; here 50 wait for up to 30s,"
                    + " and more are refused (maxQueue, queue-timeout)");
        }
    }
}
