package dev.resilience.migration;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What other libraries call what this one can do: their keys or attributes, ours, how the value is written here and why it
 * cannot be, and what a policy of Resilience4j has although nothing is written. The recipes and the pages in {@code
 * docs/from-*.md} have it from here.
 *
 * <p>One line an entry, the columns divided by bars; no key of ours means that there is nothing to write. The rule {@code
 * none} means that the value cannot be translated, {@code drop} that nothing is lost without it, and others what
 * is written for which value.
 */
final class ForeignKeys {

    private static final String TABLE = """
        retry | max-attempts | max-attempts | same
        retry | max-retries | max-attempts | plus-one | it counts the first call too
        retry | wait-duration, delay, backoff.delay | backoff.base-delay | millis
        retry | enable-exponential-backoff | backoff.strategy | true=exponential false=fixed
        retry | exponential-backoff-multiplier, multiplier, backoff.multiplier | backoff.multiplier | same
        retry | exponential-max-wait-duration, max-delay, backoff.max-delay | backoff.max-delay | millis
        retry | enable-randomized-wait | backoff.jitter | true=proportional false=none
        retry | randomized-wait-factor | backoff.jitter-factor | same
        retry | retry-exceptions, include, includes, retry-for, value | retry-on | classes
        retry | ignore-exceptions, exclude, excludes, no-retry-for | do-not-retry-on | classes
        retry | fail-after-max-attempts | fail-when-exhausted | same
        retry | timeout | max-duration | millis
        retry | result-predicate | retry-on-result | none | it is a SpEL expression over #result, such as "#result.status == 'PENDING'"
        retry | interval-bi-function | backoff.function | none | it is the name of a bean, not a class
        retry | retry-exception-predicate, predicate, exception-expression | retry-if | none | it is the name of a Predicate<Throwable> bean
        retry | consume-result-before-retry-attempt |  | none | a result that is not returned is closed if it is AutoCloseable
        retry | not-recoverable |  | none | these exceptions are listed in @Fallback(except = ...)
        retry | interceptor |  | none | a policy says all that an interceptor was made for
        retry | stateful |  | none | a retry begins and ends with its call; where a message comes again, its broker decides
        retry | listeners |  | none | a ResilienceListener bean hears of every retry
        retry | event-consumer-buffer-size, label |  | drop
        circuit-breaker | failure-rate-threshold | failure-rate-threshold | percent | it is a ratio, 0.5 for 50
        circuit-breaker | slow-call-rate-threshold | slow-call-rate-threshold | percent | it is a ratio, 0.5 for 50
        circuit-breaker | slow-call-duration-threshold | slow-call-duration | millis
        circuit-breaker | sliding-window-type | window.type | timebased=time countbased=count | it is 'count' or 'time'
        circuit-breaker | sliding-window-size | window.size | same
        circuit-breaker | minimum-number-of-calls | minimum-calls | same
        circuit-breaker | wait-duration-in-open-state | open-duration | millis
        circuit-breaker | permitted-number-of-calls-in-half-open-state | half-open.max-concurrent | probes
        circuit-breaker | max-wait-duration-in-half-open-state |  | zero | probes are not bounded together; 'half-open.probe-timeout' bounds each
        circuit-breaker | initial-state | initial-state | same
        circuit-breaker | enable-exponential-backoff | open-duration-multiplier | true=1.5 false=1.0 | 1 is none
        circuit-breaker | exponential-backoff-multiplier | open-duration-multiplier | same
        circuit-breaker | exponential-max-wait-duration-in-open-state | max-open-duration | millis
        circuit-breaker | record-exceptions | record-on | classes
        circuit-breaker | ignore-exceptions | ignore-on | classes
        circuit-breaker | allow-health-indicator-to-fail | health | true=down false=ignore | it is 'down' or 'ignore'
        circuit-breaker | transition-to-state-after-wait-duration |  | none | after 'open-duration' a call is a probe, always
        circuit-breaker | enable-randomized-wait, randomized-wait-factor |  | none | an open period is as long as it is written
        circuit-breaker | record-result-predicate | record-on-result | none | it is a SpEL expression over #result, such as "#result.status == 'DOWN'"
        circuit-breaker | record-failure-predicate | record-on | none | it lists classes; a FaultClassifier bean decides what a list cannot say
        circuit-breaker | ignore-exception-predicate | ignore-on | none | it lists classes; a FaultClassifier bean decides what a list cannot say
        circuit-breaker | automatic-transition-from-open-to-half-open-enabled, register-health-indicator |  | drop
        circuit-breaker | event-consumer-buffer-size, writable-stack-trace-enabled, ignore-class-binding-exceptions |  | drop
        bulkhead | max-concurrent-calls, max-thread-pool-size, limit, value | max-concurrent | same
        bulkhead | max-wait-duration | queue-timeout | queue
        bulkhead | queue-capacity | max-queue | same
        bulkhead | context-propagators |  | none | MDC, security and request context go along
        bulkhead | core-thread-pool-size, keep-alive-duration, fair-call-handling-enabled, event-consumer-buffer-size, writable-stack-trace-enabled |  | drop
        time-limit | timeout-duration | timeout | millis
        time-limit | cancel-running-future, event-consumer-buffer-size |  | drop
        """;

    /** All of the table, by kind and key. */
    static final Map<String, Entry> ENTRIES = new HashMap<>();

    static {
        TABLE.lines().forEach(line -> {
            String[] columns = (line + " | ").split("\\s*\\|\\s*", -1);
            for (String foreign : columns[1].split(", ", -1)) {
                Entry entry = new Entry(foreign, columns[2], columns[3], columns[4]);
                ENTRIES.put(columns[0] + "/" + uniform(foreign), entry);
            }
        });
    }

    private static final Pattern CLASS = Pattern.compile("[\\w.$]+");
    private static final Pattern PAIR = Pattern.compile("(\\S+)=(\\S+)");
    private static final String TIMEOUT = "java.util.concurrent.TimeoutException";
    private static final String TIMEOUTS = TIMEOUT + ", dev.resilience.exception.TimeLimitExceededException";

    /** What is written out, because it is different here. */
    private static final Map<String, String> DIFFERENT = Map.of(
            "retry", "backoff.base-delay=500ms backoff.strategy=fixed backoff.jitter=none retry-on=java.lang.Exception",
            "circuit-breaker",
                    "failure-threshold=0 window.type=count minimum-calls=100 open-duration=60s open-duration-multiplier=1.0",
            "bulkhead", "max-concurrent=25 max-queue=0",
            "thread-pool", "max-queue=100",
            "time-limit", "timeout=1s");

    private ForeignKeys() {}

    /** What another library's key is here, or {@code null} if no library is known to have it. */
    static @Nullable Entry find(String kind, String key) {
        return ENTRIES.get(kind + "/" + uniform(key));
    }

    /** A key as its spellings have it in common: {@code maxAttempts}, {@code max-attempts} and {@code MAX_ATTEMPTS}. */
    static String uniform(String key) {
        return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Adds what a key is here; gives the reason if there is nothing, and else nothing. */
    static String translate(String kind, String key, String value, Map<String, String> keys) {
        Entry entry = find(kind, key);
        if (entry == null) {
            return "'" + key + "' is not known";
        }
        String word = value.strip().toLowerCase(Locale.ROOT);
        boolean isZero = Long.valueOf(0).equals(millis(value));
        String ours = switch (entry.rule()) {
            case "drop" -> "";
            case "same", "probes" -> value;
            case "classes" -> exceptions(value);
            case "millis" -> withUnit(value);
            case "queue" -> isZero ? "" : withUnit(value);
            case "zero" -> isZero ? "" : null;
            case "percent" -> word.matches("\\d+(\\.\\d+)?") ? ratio(word) : null;
            default -> values(entry.rule()).get(uniform(word));
        };
        if (ours == null) {
            return entry.refusal();
        }
        if (entry.rule().equals("queue")) {
            keys.put("max-queue", isZero ? "0" : String.valueOf(Integer.MAX_VALUE)); // any number may wait there
        } else if (entry.rule().equals("probes")) {
            keys.put("half-open.success-threshold", value);
        }
        if (entry.rule().contains("=")) {
            keys.putIfAbsent(entry.ours(), ours); // where a multiplier is written too, that says more
        } else if (!ours.isEmpty()) {
            keys.put(entry.ours(), ours);
        }
        return "";
    }

    /** Percent, always: 1 is one percent. */
    private static String ratio(String percent) {
        return new BigDecimal(percent).movePointLeft(2).stripTrailingZeros().toPlainString();
    }

    /** What is written as {@code a=b c=d}. */
    private static Map<String, String> values(String written) {
        Map<String, String> values = new LinkedHashMap<>();
        PAIR.matcher(written).results().forEach(pair -> values.put(pair.group(1), pair.group(2)));
        return values;
    }

    /** With the exceptions of this library in place of Resilience4j's. */
    private static String exceptions(String value) {
        String classes = CLASS.matcher(value)
                .results()
                .map(MatchResult::group)
                .map(name -> name.equals(TIMEOUT) ? TIMEOUTS : Library.EXCEPTIONS.getOrDefault(name, name))
                .distinct()
                .collect(Collectors.joining(", "));
        return value.contains("${") ? value : classes.contains(",") ? "[" + classes + "]" : classes;
    }

    /** A number is one of milliseconds there. */
    private static String withUnit(String value) {
        return value.matches("\\d+|\\$\\{[^{}:]*:\\d+}") ? value + "ms" : value;
    }

    /** Writes out what is different by default, and what a value needs beside it. */
    static void complete(String kind, Map<String, String> keys) {
        if ("exponential".equals(keys.get("backoff.strategy"))) {
            keys.putIfAbsent("backoff.multiplier", "1.5");
            keys.putIfAbsent("backoff.max-delay", "365d"); // waits that grow have no limit there
        }
        if (keys.containsKey("slow-call-rate-threshold")) {
            keys.putIfAbsent("slow-call-duration", "60s");
        }
        values(DIFFERENT.getOrDefault(keys.getOrDefault("type", kind), "")).forEach(keys::putIfAbsent);
        String size = keys.getOrDefault("window.size", "100");
        String calls = keys.getOrDefault("minimum-calls", "");
        if ("time".equals(keys.get("window.type"))) {
            keys.remove("window.size");
            keys.put("window.duration", size + "s");
        } else if ((size + "/" + calls).matches("\\d{1,9}/\\d{1,9}")
                && Integer.parseInt(calls) > Integer.parseInt(size)) {
            keys.put("minimum-calls", size);
        }
        raise(keys, "open-duration", "max-open-duration", Duration.ofMinutes(5));
        raise(keys, "backoff.base-delay", "backoff.max-delay", Duration.ofSeconds(30));
    }

    /** A base above our default limit needs a limit of its own. */
    private static void raise(Map<String, String> keys, String base, String limit, Duration otherwise) {
        Long first = millis(keys.get(base));
        if (first != null && first > otherwise.toMillis()) {
            keys.putIfAbsent(limit, keys.getOrDefault(base, ""));
        }
    }

    /** In milliseconds; {@code null} if it is no duration. */
    static @Nullable Long millis(@Nullable String value) {
        String text = value == null ? "" : value.strip().replaceFirst("^(\\d{1,12})ms$", "$1");
        String iso = text.matches("\\d{1,9}[smh]") ? "PT" + text : text.matches("\\d{1,9}d") ? "P" + text : text;
        try {
            return text.matches("\\d{1,12}")
                    ? Long.parseLong(text)
                    : Duration.parse(iso).toMillis();
        } catch (DateTimeException placeholder) {
            return null;
        }
    }

    /**
     * One line of the table.
     *
     * @param foreign their key
     * @param ours our key, empty if there is none
     * @param rule how the value is written here
     * @param remark why it is not, or not as it was
     */
    record Entry(String foreign, String ours, String rule, String remark) {

        /** Why a value is left as it is. */
        String refusal() {
            return (ours.isEmpty() ? "" : "write '" + ours + "' in its place: ") + remark;
        }
    }
}
