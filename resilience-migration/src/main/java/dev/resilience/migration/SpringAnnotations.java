package dev.resilience.migration;

import dev.resilience.migration.Use.Undecided;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.internal.NameCaseConvention;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;

/** An annotation of Spring Retry or of Spring Framework, whose attributes are numbers and classes. */
record SpringAnnotations(Project project, Use use) {

    private static final String WRAPPED = "^#\\{\\s*'?(\\$\\{[^{}]*})'?\\s*}$";
    private static final Map<String, String> UNITS = Map.of("MILLISECONDS", "ms", "SECONDS", "s", "MINUTES", "m");

    void convert() throws Undecided {
        if (use.kind.equals("circuit-breaker")) {
            throw new Undecided(
                    "a breaker of Spring Retry counts otherwise: see '@CircuitBreaker' in docs/from-spring-retry.md");
        }
        Map<String, Expression> written = flat();
        String unit = unit(written.remove("timeUnit"));
        for (Map.Entry<String, Expression> attribute : written.entrySet()) {
            add(attribute.getKey(), attribute.getValue(), unit);
        }
        if (use.kind.equals("bulkhead")) {
            completeLimit(written.get("policy"));
        } else {
            completeWaits(written.keySet());
            if (!use.attributes.containsKey("retryOn")) {
                use.attributes.put("retryUnknown", Use.plain("true"));
            }
        }
    }

    /** The attributes, those of a nested {@code @Backoff} with its name before theirs. */
    private Map<String, Expression> flat() throws Undecided {
        Map<String, Expression> flat = new LinkedHashMap<>(use.written);
        Expression nested = flat.remove("backoff");
        Map<String, Expression> backoff = nested == null ? Map.of() : Use.attributes(nested);
        if (backoff == null) {
            throw new Undecided("backoff cannot be read");
        }
        backoff.forEach((name, value) -> flat.put("backoff." + name.replace("value", "delay"), value));
        return flat;
    }

    private void add(String name, Expression value, String unit) throws Undecided {
        boolean isText = name.matches("(?!exception).+(Expression|String)");
        String plain = isText ? name.replaceFirst("(Expression|String)$", "") : name;
        boolean isEmpty = value instanceof J.NewArray array
                && array.getInitializer() != null
                && array.getInitializer().stream().allMatch(J.Empty.class::isInstance);
        boolean isUnset = isEmpty || (isText && Use.source(value).equals("\"\""));
        if (plain.equals("recover")) {
            use.fallback = value;
        }
        if (isUnset || Set.of("recover", "policy", "jitter", "backoff.random").contains(plain)) {
            return;
        }
        ForeignKeys.Entry entry = ForeignKeys.find(use.kind, plain);
        boolean isOld = plain.equals("maxAttempts") && project.library == Library.SPRING_FRAMEWORK; // of milestones
        if (entry == null || isOld) {
            throw new Undecided(plain + " has no equivalent");
        }
        if (entry.rule().equals("none") || (isText && entry.rule().equals("plus-one"))) {
            throw new Undecided(plain + " is not rewritten: " + entry.refusal());
        }
        String attribute = NameCaseConvention.LOWER_CAMEL.format(entry.ours().replaceFirst("backoff\\.(base-)?", ""));
        boolean isAttribute = SourceRewriter.ATTRIBUTES.contains(attribute); // all else is written as YAML
        if (entry.rule().equals("millis")) {
            Expression duration = isText ? use.text(duration(placeholder(name, value), unit)) : duration(value, unit);
            if (isAttribute) {
                use.attributes.put(attribute, duration);
            } else if (!Use.source(duration).contains(" + ")) {
                use.keys.put(entry.ours(), Use.source(duration).replace("\"", ""));
            } else {
                throw new Undecided(plain + " is a constant: write '" + entry.ours() + "' in its place");
            }
        } else if (isText) {
            use.keys.put(entry.ours(), placeholder(name, value));
        } else if (isAttribute) {
            if (use.isKotlin() && name.equals("value") && use.kind.equals("retry")) {
                throw new Undecided("write its exceptions as a list with a name: retryFor = [...]");
            }
            Long number = number(value);
            Expression same = number == null ? value : Use.plain(String.valueOf(number));
            use.attributes.put(attribute, entry.rule().equals("plus-one") ? next(value) : same);
        }
    }

    private void completeLimit(@Nullable Expression policy) throws Undecided {
        String limit = Use.source(use.attributes.get("maxConcurrent"));
        if (limit.startsWith("-")) {
            throw new Undecided("a limit of " + limit + " is none: remove the annotation");
        }
        boolean refuses = Use.name(policy).equals("REJECT");
        use.attributes.put("maxQueue", Use.plain(refuses ? "0" : String.valueOf(Integer.MAX_VALUE)));
        if (!refuses) { // callers wait in a queue without end
            use.keys.put("queue-timeout", "365d");
        }
    }

    /** Waits as Spring has them where nothing else is written: one second, each as long as the one before, without jitter. */
    private void completeWaits(Set<String> written) throws Undecided {
        boolean isFramework = project.library == Library.SPRING_FRAMEWORK;
        Map<String, Expression> attributes = use.attributes;
        if (!isFramework) { // 0 is unset there
            attributes.values().removeIf(value -> Use.source(value).equals("\"0ms\""));
        } else if (!use.keys.containsKey("max-attempts")) {
            attributes.putIfAbsent("maxAttempts", Use.plain("4"));
        }
        String multiplier = Use.source(attributes.get("multiplier"));
        boolean grows = use.keys.containsKey("backoff.multiplier")
                || (attributes.containsKey("multiplier") && !multiplier.matches("0(\\.0*)?[dDfF]?"));
        if (grows && multiplier.matches("0?\\.\\d+[dDfF]?")) {
            throw new Undecided("multiplier is less than 1, and here no wait is shorter than the one before");
        }
        if (!grows) {
            attributes.put("multiplier", Use.plain(use.isKotlin() ? "1.0" : "1"));
        }
        Expression maxDelay = attributes.get("maxDelay");
        boolean isRandom = written.stream().anyMatch(name -> name.matches("jitter.*|backoff.random.*"));
        if (isRandom || (!isFramework && !grows && maxDelay != null)) {
            use.comments.add("its waits were random in another way: backoff.jitter is the policy's here"
                    + " (proportional, with jitter-factor, makes them longer only)");
        }
        Expression delay = attributes.getOrDefault("delay", use.text("1s"));
        Long first = ForeignKeys.millis(Use.source(delay).replace("\"", ""));
        Long longest = ForeignKeys.millis(Use.source(maxDelay).replace("\"", ""));
        // here the longest is 30 seconds
        if (isFramework && grows && maxDelay == null) {
            attributes.put("maxDelay", use.text("365d")); // there is no limit there
        } else if (first != null && first > (maxDelay == null ? 30_000 : longest == null ? first : longest)) {
            attributes.put("maxDelay", delay);
        }
    }

    /** The number that is written; {@code null} if it is a constant or is computed. */
    private static @Nullable Long number(Expression value) {
        return value instanceof J.Literal literal
                        && (literal.getValue() instanceof Integer || literal.getValue() instanceof Long)
                ? Long.valueOf(literal.getValue().toString())
                : null;
    }

    /** A placeholder or literal out of an attribute whose name ends with Expression or String. */
    private String placeholder(String attribute, Expression value) throws Undecided {
        String plain = Objects.requireNonNullElse(project.constant(value), "#").replaceFirst(WRAPPED, "$1");
        if (!plain.matches("[\\w.]*(\\$\\{[^{}#]*})?[\\w.]*")) {
            throw new Undecided(
                    attribute + " is neither a number nor one ${placeholder}; expressions are not evaluated here");
        }
        return plain;
    }

    /** A number of times the unit, or a constant of that, as text. */
    private Expression duration(Expression value, String unit) throws Undecided {
        Long number = number(value);
        return number != null
                ? use.text(pretty(number, unit))
                : Use.plain(computed(operand(value) + " + \"" + unit + '"'));
    }

    /** A duration that is written as text; a number, or a placeholder for one, gets the unit. */
    private String duration(String text, String unit) {
        if (text.matches("\\d+(ns|us|ms|s|m|h|d)|P.*|.*:[^{}]*[a-zA-Z]}")) {
            return text;
        }
        if (text.matches("\\d+")) {
            return pretty(Long.parseLong(text), unit);
        }
        if (!text.matches("\\$\\{[^{}:]*:\\d+}")) {
            use.comments.add(text + " was a number of " + unit
                    + ", and is read as one: if its value has a unit, remove '" + unit + "'");
        }
        return text + unit;
    }

    private static String pretty(long number, String unit) {
        boolean isSeconds = number != 0 && unit.equals("ms") && number % 1_000 == 0;
        return isSeconds ? number / 1_000 + "s" : number + unit;
    }

    /** One more than a number, whatever its type. */
    private Expression next(Expression value) throws Undecided {
        Long number = number(value);
        return Use.plain(number != null ? String.valueOf(number + 1) : computed("(int) " + operand(value) + " + 1"));
    }

    private String computed(String source) throws Undecided {
        if (use.isKotlin()) {
            throw new Undecided("a value that is computed or a constant is not rewritten in Kotlin");
        }
        return source;
    }

    /** In parentheses if it is not one name. */
    private static String operand(Expression value) {
        String alone = value.withPrefix(Space.EMPTY).toString();
        return value instanceof J.Identifier || value instanceof J.FieldAccess ? alone : "(" + alone + ")";
    }

    /** The unit that a constant of TimeUnit stands for. */
    private static String unit(@Nullable Expression value) throws Undecided {
        String name = value == null ? "MILLISECONDS" : Use.name(value);
        String unit = UNITS.get(name);
        if (unit == null) {
            throw new Undecided(
                    "timeUnit is " + name + ", which is rewritten for milliseconds, seconds and minutes alone");
        }
        return unit;
    }
}
