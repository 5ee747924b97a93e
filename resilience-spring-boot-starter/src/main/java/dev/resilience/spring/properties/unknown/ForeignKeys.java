package dev.resilience.spring.properties.unknown;

import dev.resilience.spring.properties.value.Percentages;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What other libraries call what this one can do: their key or attribute, ours, how the value is written here and what is
 * different. The startup check, the converter and the pages in {@code docs/from-*.md} have it from here.
 *
 * <p>One line an entry, the columns divided by bars; no key of ours means that there is nothing to write. The rule {@code
 * none} means that the value cannot be translated, {@code drop} that nothing is lost without it. Needs the JDK alone, because
 * the converter runs without Spring.
 */
public final class ForeignKeys {

    private static final String TABLE = """
        retry | wait-duration                  | backoff.base-delay   | millis      | Resilience4j | it is the first wait, and each is longer than the one before unless 'backoff.strategy: fixed' is written too
        retry | enable-exponential-backoff     | backoff.strategy     | exponential | Resilience4j | exponential is the default
        retry | exponential-backoff-multiplier | backoff.multiplier   | same        | Resilience4j |
        retry | exponential-max-wait-duration  | backoff.max-delay    | millis      | Resilience4j |
        retry | enable-randomized-wait         | backoff.jitter       | jitter      | Resilience4j | the default is full jitter
        retry | randomized-wait-factor         | backoff.jitter-factor | same       | Resilience4j | with 'backoff.jitter: proportional', which makes a wait longer and never shorter
        retry | retry-exceptions               | retry-on             | same        | Resilience4j | without it only transient faults are retried
        retry | ignore-exceptions              | do-not-retry-on      | same        | Resilience4j |
        retry | result-predicate               | retry-on-result      | none        | Resilience4j | it is a SpEL expression over #result, such as "#result.status == 'PENDING'"
        retry | max-attempts                   | max-attempts         | same        | Resilience4j and Spring Retry |
        retry | interval-bi-function           | backoff.function     | none        | Resilience4j | it is the name of a bean, not a class
        retry | retry-exception-predicate      | retry-if             | none        | Resilience4j | it is the name of a Predicate<Throwable> bean, not a class
        retry | consume-result-before-retry-attempt |                 | none        | Resilience4j | a result that is not returned is closed if it is Closeable, and a ResilienceListener bean hears of retries
        retry | fail-after-max-attempts        | fail-when-exhausted  | same        | Resilience4j | without it the last result is returned
        retry | event-consumer-buffer-size     |                      | drop        | Resilience4j | the actuator keeps the last 100 events
        retry | max-retries                    | max-attempts         | plus-one    | Spring, Failsafe and MicroProfile | it counts the first call too
        retry | max-retry-attempts             | max-attempts         | none        | Polly and older Resilience4j | it counts the first call too
        retry | retries                        | max-attempts         | plus-one    | others | it counts the first call too
        retry | attempts                       | max-attempts         | same        | others | it counts the first call too
        retry | delay                          | backoff.base-delay   | millis      | Spring, Failsafe and MicroProfile | it is the first wait
        retry | backoff.delay                  | backoff.base-delay   | millis      | Spring Retry | it is the first wait
        retry | initial-interval               | backoff.base-delay   | millis      | Spring Retry | it is the first wait
        retry | backoff.initial-interval       | backoff.base-delay   | millis      | Spring Retry | it is the first wait
        retry | initial-delay                  | backoff.base-delay   | millis      | others | it is the first wait
        retry | backoff.initial-delay          | backoff.base-delay   | millis      | others | it is the first wait
        retry | max-interval                   | backoff.max-delay    | millis      | Spring Retry |
        retry | backoff.max-interval           | backoff.max-delay    | millis      | Spring Retry |
        retry | backoff.random                 | backoff.jitter       | jitter      | Spring Retry | the default is full jitter
        retry | random                         | backoff.jitter       | jitter      | Spring Retry | the default is full jitter
        retry | jitter                         | backoff.jitter       | jitter-word | Spring, Failsafe and MicroProfile | it is full, equal, decorrelated, proportional or none, not a duration; 'backoff.jitter-factor' says how far proportional jitter reaches
        retry | include                        | retry-on             | same        | Spring |
        retry | includes                       | retry-on             | same        | Spring |
        retry | retry-for                      | retry-on             | same        | Spring Retry |
        retry | exclude                        | do-not-retry-on      | same        | Spring |
        retry | excludes                       | do-not-retry-on      | same        | Spring |
        retry | no-retry-for                   | do-not-retry-on      | same        | Spring Retry |
        retry | not-recoverable                |                      | none        | Spring Retry | these exceptions are listed in @Fallback(except = ...)
        retry | abort-on                       | do-not-retry-on      | same        | Failsafe and MicroProfile |
        retry | recover                        |                      | none        | Spring Retry | another answer in place of a failure is @Fallback("method") on the method
        retry | multiplier                     | backoff.multiplier   | same        | Spring | 1 or more
        retry | backoff.multiplier             | backoff.multiplier   | same        | Spring Retry | 1 or more
        retry | max-delay                      | backoff.max-delay    | millis      | Spring, Failsafe and MicroProfile |
        retry | backoff.max-delay              | backoff.max-delay    | millis      | Spring Retry |
        retry | exception-expression           | retry-if             | none        | Spring Retry | it is the name of a Predicate<Throwable> bean, not an expression
        retry | predicate                      | retry-if             | none        | Spring | it is the name of a Predicate<Throwable> bean, not a class
        retry | time-unit                      |                      | none        | Spring | every time is written with its unit
        retry | interceptor                    |                      | none        | Spring Retry | a policy says all that an interceptor was made for
        retry | stateful                       |                      | none        | Spring Retry | a retry begins and ends with its call; where a message comes again, its broker decides
        retry | listeners                      |                      | none        | Spring Retry | a ResilienceListener bean hears of every retry
        retry | label                          |                      | drop        | Spring Retry | meters and events bear the name of the policy
        retry | timeout                        | max-duration         | millis      | Spring | it bounds all attempts together; 'resilience.time-limit' bounds each
        circuit-breaker | sliding-window-size            | window.size            | same    | Resilience4j | with 'window.type: count'; a window of time has 'window.duration' in its place
        circuit-breaker | sliding-window-type            | window.type            | window  | Resilience4j |
        circuit-breaker | minimum-number-of-calls        | minimum-calls          | same    | Resilience4j |
        circuit-breaker | slow-call-duration-threshold   | slow-call-duration     | millis  | Resilience4j |
        circuit-breaker | wait-duration-in-open-state    | open-duration          | millis  | Resilience4j |
        circuit-breaker | permitted-number-of-calls-in-half-open-state | half-open.max-concurrent | same | Resilience4j | 'half-open.success-threshold' says how many successes close it, and one failure opens it again
        circuit-breaker | max-wait-duration-in-half-open-state | half-open.max-duration | millis | Resilience4j | 'half-open.probe-timeout' bounds each probe
        circuit-breaker | automatic-transition-from-open-to-half-open-enabled | | none         | Resilience4j | the first call after 'open-duration' is the probe, and nothing happens without a call
        circuit-breaker | record-exceptions              | record-on              | same    | Resilience4j | without it transient and unknown faults count
        circuit-breaker | ignore-exceptions              | ignore-on              | same    | Resilience4j |
        circuit-breaker | failure-rate-threshold         | failure-rate-threshold | percent | Resilience4j | it is a ratio, 0.5 for 50
        circuit-breaker | slow-call-rate-threshold       | slow-call-rate-threshold | percent | Resilience4j | it is a ratio, 0.5 for 50
        circuit-breaker | initial-state                  | initial-state          | same    | Resilience4j |
        circuit-breaker | transition-to-state-after-wait-duration | | none | Resilience4j | after 'open-duration' a call is a probe, always
        circuit-breaker | enable-randomized-wait         |                        | none    | Resilience4j | an open period is as long as it is written
        circuit-breaker | randomized-wait-factor         |                        | none    | Resilience4j | an open period is as long as it is written
        circuit-breaker | ignore-class-binding-exceptions |                       | none    | Resilience4j | a class that is not there fails the startup
        circuit-breaker | record-result-predicate        | record-on-result       | none    | Resilience4j | it is a SpEL expression over #result, such as "#result.status == 'DOWN'"
        circuit-breaker | record-failure-predicate       | record-on              | none    | Resilience4j | it lists classes; a FaultClassifier bean decides what a list cannot say
        circuit-breaker | ignore-exception-predicate     | ignore-on              | none    | Resilience4j | it lists classes; a FaultClassifier bean decides what a list cannot say
        circuit-breaker | exponential-backoff-multiplier | open-duration-multiplier | same  | Resilience4j |
        circuit-breaker | exponential-max-wait-duration-in-open-state | max-open-duration | millis | Resilience4j |
        circuit-breaker | enable-exponential-backoff     | open-duration-multiplier | growth | Resilience4j | 1 is none
        circuit-breaker | allow-health-indicator-to-fail | health                 | health  | Resilience4j |
        circuit-breaker | register-health-indicator      |                        | drop    | Resilience4j | every breaker is in the health details; 'management.health.resilience.enabled' switches them off
        circuit-breaker | event-consumer-buffer-size     |                        | drop    | Resilience4j | the actuator keeps the last 100 events
        circuit-breaker | writable-stack-trace-enabled   |                        | drop    | Resilience4j | a refusal has no stack trace
        circuit-breaker | max-attempts           | failure-threshold      | same    | Spring Retry | failures in a row
        circuit-breaker | retry-for              | record-on              | same    | Spring Retry |
        circuit-breaker | include                | record-on              | same    | Spring Retry |
        circuit-breaker | no-retry-for           | ignore-on              | same    | Spring Retry |
        circuit-breaker | exclude                | ignore-on              | same    | Spring Retry |
        circuit-breaker | not-recoverable        |                        | none    | Spring Retry | these exceptions are listed in @Fallback(except = ...)
        circuit-breaker | exception-expression   |                        | none    | Spring Retry | a FaultClassifier bean decides what a list cannot say
        circuit-breaker | recover                |                        | none    | Spring Retry | another answer in place of a failure is @Fallback("method") on the method
        circuit-breaker | throw-last-exception-on-exhausted |             | none    | Spring Retry | a refusal is a CircuitOpenException, and its cause is the failure that opened the breaker
        circuit-breaker | label                  |                        | drop    | Spring Retry | meters and events bear the name of the policy
        circuit-breaker | request-volume-threshold       | minimum-calls          | same    | MicroProfile |
        circuit-breaker | failure-ratio                  | failure-rate-threshold | percent | MicroProfile |
        circuit-breaker | success-threshold              | half-open.success-threshold | same | Failsafe and MicroProfile |
        circuit-breaker | delay                          | open-duration          | millis  | Failsafe and MicroProfile |
        circuit-breaker | reset-timeout                  | open-duration          | millis  | Spring Retry |
        circuit-breaker | open-timeout           | window.duration        | millis  | Spring Retry | the time in which failures count; 'open-duration' is how long it stays open
        circuit-breaker | fail-on                        | record-on              | same    | MicroProfile |
        circuit-breaker | skip-on                        | ignore-on              | same    | MicroProfile |
        circuit-breaker | break-duration                 | open-duration          | millis  | Polly |
        circuit-breaker | sampling-duration              | window.duration        | millis  | Polly |
        circuit-breaker | minimum-throughput             | minimum-calls          | same    | Polly |
        bulkhead | max-concurrent-calls   | max-concurrent | same   | Resilience4j |
        bulkhead | max-wait-duration      | queue-timeout  | millis | Resilience4j | 'max-queue: 0' refuses at once
        bulkhead | max-thread-pool-size   | max-concurrent | same   | Resilience4j | with 'type: thread-pool'
        bulkhead | core-thread-pool-size  |                | drop   | Resilience4j | threads are made as they are needed, up to 'max-concurrent'
        bulkhead | queue-capacity         | max-queue      | same   | Resilience4j |
        bulkhead | keep-alive-duration    |                | drop   | Resilience4j | idle threads end by themselves
        bulkhead | context-propagators   |                | none   | Resilience4j | MDC, security and request context go along
        bulkhead | event-consumer-buffer-size |           | drop   | Resilience4j | the actuator keeps the last 100 events
        bulkhead | writable-stack-trace-enabled |         | drop   | Resilience4j | a refusal has no stack trace
        bulkhead | fair-call-handling-enabled |            | drop   | Resilience4j | waiters are served first come, first served
        bulkhead | waiting-task-queue     | max-queue      | same   | MicroProfile |
        bulkhead | limit                  | max-concurrent | same   | Spring |
        bulkhead | policy                 | max-queue      | none   | Spring | 0 is REJECT; BLOCK is a queue, which is bounded here
        bulkhead | concurrency-limit      | max-concurrent | same   | Spring |
        bulkhead | max-concurrency        | max-concurrent | same   | Failsafe |
        bulkhead | max-parallelization    | max-concurrent | same   | Polly |
        bulkhead | max-queuing-actions    | max-queue      | same   | Polly |
        time-limit | timeout-duration      | timeout | millis | Resilience4j |
        time-limit | event-consumer-buffer-size |     | drop   | Resilience4j | the actuator keeps the last 100 events
        time-limit | cancel-running-future |         | drop   | Resilience4j | what runs too long is always cancelled
        time-limit | duration              | timeout | millis | others |
        time-limit | limit                 | timeout | millis | others |
        idempotency | expiration  | ttl | millis | others | counted from completion
        idempotency | expire-after | ttl | millis | others | counted from completion
        """;

    private static final Map<String, String> KINDS = Map.of(
            "timelimiter", "time-limit",
            "timeout", "time-limit",
            "timeouts", "time-limit",
            "threadpoolbulkhead", "bulkhead",
            "breaker", "circuit-breaker",
            "circuit", "circuit-breaker",
            "ratelimiter", "");

    private final Map<String, Entry> entries = new HashMap<>();

    public ForeignKeys() {
        TABLE.lines().forEach(line -> {
            List<String> columns = new ArrayList<>();
            for (String column : line.split("\\|", -1)) {
                columns.add(column.strip());
            }
            entries.put(
                    columns.get(0) + "/" + uniform(columns.get(1)),
                    new Entry(
                            columns.get(0),
                            columns.get(1),
                            columns.get(2),
                            columns.get(3),
                            columns.get(4),
                            columns.get(5)));
        });
    }

    /** What another library's key is here, or {@code null} if no library is known to have it. */
    public @Nullable Entry find(String kind, String key) {
        return entries.get(kind + "/" + uniform(key));
    }

    /** All of the table, in no order. */
    public Collection<Entry> all() {
        return entries.values();
    }

    /** A key as its spellings have it in common: {@code maxAttempts}, {@code max-attempts} and {@code MAX_ATTEMPTS}. */
    public static String uniform(String key) {
        return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Our name of a kind that others call differently; empty if this version does not have it. */
    @Nullable
    String kind(String name) {
        return KINDS.get(uniform(name));
    }

    /**
     * One line of the table.
     *
     * @param kind our name of the kind of policies
     * @param foreign their key
     * @param ours our key, empty if there is none
     * @param rule how the value is written here
     * @param library who calls it so
     * @param remark what is different, or empty
     */
    public record Entry(String kind, String foreign, String ours, String rule, String library, String remark) {

        /** Whether the library has it in annotations alone, so that hardly anyone writes it as a key. */
        boolean isOfAnnotation() {
            return library.equals("Spring Retry");
        }

        /** Whether nothing is lost where it is left out. */
        public boolean isNeedless() {
            return rule.equals("drop");
        }

        /** The value as it is written here, or {@code null} if it cannot be told. */
        public @Nullable String value(String written) {
            String word = written.strip().toLowerCase(Locale.ROOT);
            return switch (rule) {
                case "same" -> written;
                case "plus-one" -> word.matches("\\d{1,8}") ? String.valueOf(Integer.parseInt(word) + 1) : null;
                case "millis" -> word.matches("[1-9]\\d*") ? word + "ms" : written;
                case "percent" -> Percentages.toRatio(word);
                case "exponential" -> choose(word, "exponential", "fixed");
                case "growth" -> choose(word, "1.5", "1.0");
                case "jitter" -> choose(word, "proportional", "none");
                case "jitter-word" -> word.matches("[a-z]+") ? written : null;
                case "health" -> choose(word, "down", "ignore");
                case "window" -> word.contains("time") ? "time" : word.contains("count") ? "count" : null;
                default -> null;
            };
        }

        private static @Nullable String choose(String word, String ifTrue, String ifFalse) {
            return word.equals("true") ? ifTrue : word.equals("false") ? ifFalse : null;
        }

        /** What to write in place of the key: a sentence, and what is different. */
        String cure(String value) {
            String because = remark.isEmpty() ? "" : ": " + remark;
            if (ours.isEmpty()) {
                return "Remove '" + foreign + "'" + because + ".";
            }
            String translated = value(value);
            return "Write '" + ours + (translated == null ? "" : ": " + translated) + "' in place of '" + foreign + "'"
                    + because + ". ('" + foreign + "' is a name of " + library + ".)";
        }
    }
}
