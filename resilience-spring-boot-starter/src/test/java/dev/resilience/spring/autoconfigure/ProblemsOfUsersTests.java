package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.annotation.Retryable;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What users write by problem, each in an application of its own, and the essential words of the answer. */
class ProblemsOfUsersTests extends FailingStartup {

    @ParameterizedTest(name = "{0}")
    @MethodSource({"ofAnotherLibrary", "inTheWrongPlace", "values", "durations", "names"})
    void areAnsweredWithTheRightCure(String name, String yaml, Object description, Object action) {
        Printed printed = fail(yaml);
        assertThat(printed.description()).doesNotContain("There are ");
        assertThat(printed.description()).contains(parts(description));
        assertThat(printed.action()).contains(parts(action));
    }

    static Stream<Arguments> ofAnotherLibrary() {
        return Stream.of(
                key("retry", "max-retries: 3", "Correct or remove the key. Known are: ", "'max-attempts'"),
                key("circuit-breaker", "minimum-number-of-calls: 5", "Known are: ", "'minimum-calls'"),
                key("bulkhead", "max-concurrent-calls: 5", "Did you mean 'max-concurrent'?"),
                key("time-limit", "timeout-duration: 2s", "Correct or remove the key"),
                arguments(
                        "the name of a kind",
                        "resilience.timelimiter.payments.timeout: 5s",
                        "A key under 'resilience' is not known",
                        "Did you mean 'time-limit.payments.timeout'?"),
                arguments(
                        "instances",
                        "resilience.retry.instances.payments: {max-attempts: 5, budget: none}",
                        "A key under 'resilience' is not known",
                        "Did you mean 'max-attempts'?"));
    }

    static Stream<Arguments> inTheWrongPlace() {
        return Stream.of(
                key("circuit-breaker", "max-attempts: 3", "Correct or remove the key"),
                key("retry", "base-delay: 3s", "Did you mean 'backoff.base-delay'?"),
                key("retry", "max-delay: 3s", "Did you mean 'backoff.max-delay'?"),
                key("retry", "backoff.max-attempts: 3", "Did you mean 'max-attempts'?"),
                arguments(
                        "a key beside the policy in place of below it",
                        "resilience.retry:\n  payments:\n  max-attempts: 5",
                        "A key stands where the name of a policy should be",
                        "Write 'resilience.retry.<name>.max-attempts' for one policy"),
                arguments(
                        "a policy below default",
                        "resilience.retry.default.payments: {max-attempts: 5, budget: none}",
                        "A key under 'resilience' is not known",
                        "Did you mean 'max-attempts'?"),
                arguments(
                        "a key without kind",
                        "resilience.max-attempts: 5",
                        "A key under 'resilience' is not known",
                        "Did you mean 'retry.default.max-attempts'?"),
                arguments(
                        "a policy without kind",
                        "resilience.payments.max-attempts: 5",
                        "A key under 'resilience' is not known",
                        "Did you mean 'retry.payments.max-attempts'?"),
                arguments(
                        "a list in place of a policy",
                        "resilience.retry.payments: [{max-attempts: 5}]",
                        "Property: resilience.retry.payments[0].max-attempts",
                        "Did you mean 'max-attempts'?"),
                arguments(
                        "a list in place of a value",
                        "resilience.retry.payments.max-attempts: [5]",
                        "Property: resilience.retry.payments.max-attempts[0]",
                        "Did you mean 'max-attempts'?"),
                arguments(
                        "a value in place of keys",
                        "resilience.retry.payments.backoff: 500ms",
                        "A value stands where keys should be",
                        "write keys below 'resilience.retry.payments.backoff'"),
                arguments(
                        "a value in place of a store's keys",
                        "resilience.idempotency-store: redis",
                        "A value stands where keys should be",
                        "write keys below 'resilience.idempotency-store'"),
                arguments(
                        "a value in place of the one key of Redis",
                        "resilience.idempotency-store.redis: shop",
                        "A value stands where keys should be",
                        "write keys below 'resilience.idempotency-store.redis'"),
                arguments(
                        "a key that this version does not have",
                        "resilience.chaos.payments.latency: 5s",
                        "A key under 'resilience' is not known",
                        "remove the key"));
    }

    static Stream<Arguments> values() {
        return Stream.of(
                value("retry", "retry-on: IOException", "'IOException' is no class", "with its package"),
                value("retry", "retry-on: [java.io.IOException, com.acme.Gone]", "'com.acme.Gone'", "with its package"),
                value("retry", "retry-on: java.util.Map.Entry2", "'java.util.Map.Entry2' is no class", "with its"),
                value("retry", "retry-on: java.util.Map.Entry", "must be an exception class", "payments.retry-on'"),
                value("circuit-breaker", "failure-rate-threshold: 50%", "'50%' is not a number", "such as 0.5"),
                value("circuit-breaker", "failure-rate-threshold: 50", "is a ratio", "for 50.0 percent write 0.5"),
                value("retry", "max-attempts: three", "'three' is not a whole number", "in digits"),
                value("retry", "max-attempts: 2.5", "'2.5' is not a whole number", "in digits"),
                value(
                        "retry",
                        "max-attempts: 99999999999",
                        "'99999999999' is not a whole number of at most 2147483647",
                        "in digits"),
                value("retry", "max-attempts:", "it has no value", "remove the key"),
                value("retry", "honor-retry-after: sometimes", "neither true nor false", "Write true or false."),
                value("retry", "backoff.jitter: ful", "none of the values", "FULL"),
                value("retry", "max-duration: ${NO_SUCH}", "cannot be resolved", "give it a default"),
                value(
                        "retry",
                        "budget: shared",
                        "there is no 'resilience.retry-budget.shared'",
                        "configure the budget"),
                value(
                        "retry",
                        "budget: off",
                        "there is no 'resilience.retry-budget.false'",
                        "'budget: none' for no budget"),
                value("retry", "budget: false", "there is no 'resilience.retry-budget.false'", "'budget: none' for no"),
                value("retry", "budget: \"off\"", "there is no 'resilience.retry-budget.off'", "'budget: none' for no"),
                value(
                        "retry",
                        "retry-on-status: [99, 503, 700]",
                        List.of("Value: 99, 503, 700", "Reason: each of 99, 700 must be an HTTP status"),
                        "payments.retry-on-status'"),
                value(
                        "retry",
                        "retry-on-status: 99,503,700",
                        "each of 99, 700 must be an HTTP status",
                        "retry-on-status'"),
                value(
                        "circuit-breaker",
                        "record-on: [java.util.Map, java.io.IOException, java.util.List]",
                        "each of java.util.Map, java.util.List must be an exception class",
                        "payments.record-on'"),
                value("retry", "retry-on-status: [500, 5o3]", "retry-on-status[1]\n    Value: 5o3", "in digits"),
                arguments(
                        "enabled",
                        "resilience.enabled: maybe",
                        "'maybe' is neither true nor false",
                        "Change the value of 'resilience.enabled'. Write true or false."),
                arguments(
                        "enabled by a placeholder",
                        "resilience.enabled: ${NO_SUCH}",
                        "cannot be resolved",
                        "give it a default"),
                arguments(
                        "type of the store",
                        "resilience.idempotency-store.type: jdcb",
                        "'jdcb' is none of the values",
                        "JDBC"),
                arguments(
                        "order",
                        "resilience.order: [idempotent, bulkhead, circuitbreaker, retry, time-limit]",
                        "'circuitbreaker' is not a layer",
                        "Did you mean 'circuit-breaker'?"));
    }

    static Stream<Arguments> durations() {
        return Stream.of(
                value("circuit-breaker", "open-duration: 10", "it has no unit: 10s or 10ms?", "Write 10s or 10ms."),
                value("time-limit", "timeout: \"10\"", "10s or 10ms?", "Write 10s or 10ms."),
                value("time-limit", "timeout: ${seconds:10}", "10s or 10ms?", "Write 10s or 10ms."),
                value("time-limit", "timeout: 1 s", "'1 s' is not a valid duration", "Write a number and a unit"),
                value(
                        "time-limit",
                        "timeout: 10 seconds",
                        "'10 seconds' is not a valid duration",
                        "Write a number and a unit"),
                value("time-limit", "timeout: 1m30s", "'1m30s' is not a valid duration", "Write a number and a unit"),
                value("time-limit", "timeout: 1.5s", "'1.5s' is not a valid duration", "Write a number and a unit"),
                value("time-limit", "timeout: soon", "'soon' is not a valid duration", "Write a number and a unit"),
                arguments("margin", "resilience.deadline.margin: 100", "100s or 100ms?", "Write 100s or 100ms."),
                value(
                        "retry",
                        "backoff.base-delay: 40s",
                        List.of(
                                "Value: PT30S (nowhere written, so the default)",
                                "must not be shorter than backoff.base-delay, which is PT40S",
                                "Property: resilience.retry.payments.backoff.base-delay",
                                "Value: 40s"),
                        "Or change that of 'resilience.retry.payments.backoff.base-delay'."),
                value(
                        "retry",
                        "{extends: interactive, backoff.base-delay: 5s}",
                        "Value: PT3S (of the preset 'interactive')",
                        "must not be shorter than backoff.base-delay, which is PT5S"),
                value(
                        "circuit-breaker",
                        "open-duration: 10m",
                        "Value: PT5M (nowhere written, so the default)",
                        "'resilience.circuit-breaker.payments.max-open-duration': it must not be shorter"),
                arguments(
                        "a delay that two policies inherit",
                        "resilience.retry: {default: {backoff: {max-delay: 1s, base-delay: 2s}}, payments: {}}",
                        "The retry policy 'default' has a value",
                        "'resilience.retry.default.backoff.max-delay'"));
    }

    static Stream<Arguments> names() {
        return Stream.of(
                arguments(
                        "names that differ by dashes and case",
                        "resilience.retry:\n  card-payments: {max-attempts: 4}\n  cardPayments: {max-attempts: 5}",
                        "'card-payments' and 'cardPayments' differ by dashes and case only",
                        "Write the name in one way everywhere"),
                arguments(
                        "names that differ by brackets and case",
                        "resilience.retry:\n  \"[Payments]\": {max-attempts: 4}\n  payments: {max-attempts: 5}",
                        "'Payments' and 'payments' differ by dashes and case only",
                        "Write the name in one way everywhere"),
                arguments(
                        "a second default",
                        "resilience.retry.DEFAULT.max-attempts: 4",
                        "'default' and 'DEFAULT' differ by dashes and case only",
                        "Write the name in one way everywhere"),
                arguments(
                        "a name that no path can have",
                        "resilience.retry.\"[a/b]\".max-attempts: 4",
                        "The retry policy 'a/b' cannot be reached over HTTP",
                        "Give the policy a name without them."),
                arguments(
                        "a name with a dot and without brackets",
                        "resilience.retry.OrderService.place: {max-attempts: 4, backoff.base-delay: 1s}",
                        "A key under 'resilience' is not known",
                        "write it in brackets, because it has a dot: \"[OrderService.place]\""),
                arguments(
                        "a budget named none",
                        "resilience.retry-budget.none.max-ratio: 0.5",
                        "cannot be named 'none'",
                        "another name"),
                arguments(
                        "extends of itself",
                        "resilience.retry.payments.extends: payments",
                        "in a circle: payments -> payments",
                        "Remove one 'extends'"),
                arguments(
                        "a circle in which one link is not written",
                        "resilience.retry: {a: {}, default: {extends: a}}",
                        "Property: resilience.retry.default.extends\n    Value: a",
                        "Remove one 'extends'"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("namesInAnnotations")
    void inAnnotationsAreAnsweredWithTheRightCure(
            String name, String yaml, Class<?> bean, String description, String action) {
        Printed printed = fail(yaml, bean);
        assertThat(printed.description()).doesNotContain("There are ").contains(description);
        assertThat(printed.action()).contains(action);
    }

    static Stream<Arguments> namesInAnnotations() {
        String noCards = "names the retry policy 'cards', but there is no 'resilience.retry.cards'";
        return Stream.of(
                named(
                        "a policy of another kind, and one that is spelt like it",
                        "resilience: {bulkhead.cards.max-queue: 9, retry.card.max-attempts: 4}",
                        noCards,
                        "Did you mean 'card'?"),
                named("another case", "resilience.retry.Cards.max-attempts: 3", noCards, "Did you mean 'Cards'?"),
                arguments(
                        "an empty name",
                        "name: ''\nresilience.retry.cards.max-attempts: 3",
                        NamesByPlaceholder.class,
                        "names the retry policy ''",
                        "Known are: 'cards', 'default'."),
                arguments(
                        "blanks around a name",
                        "name: ' cards'\nresilience.retry.cards.max-attempts: 3",
                        NamesByPlaceholder.class,
                        "names the retry policy ' cards'",
                        "Did you mean 'cards'?"),
                arguments(
                        "a placeholder that nothing defines",
                        "",
                        NamesByPlaceholder.class,
                        "names a retry policy by '${name}', which cannot be resolved",
                        "give it a default: ${name:default}."));
    }

    private static Arguments named(String name, String yaml, String description, String action) {
        return arguments(name, yaml, NamesCards.class, description, action);
    }

    private static List<String> parts(Object words) {
        return words instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(String.valueOf(words));
    }

    private static Arguments key(String kind, String line, String... action) {
        return arguments(
                line,
                "resilience:\n  " + kind + ":\n    payments:\n      " + line,
                List.of("A key under 'resilience' is not known"),
                List.of(action));
    }

    private static Arguments value(String kind, String line, Object description, String action) {
        String below = line.startsWith("{") ? " " + line : "\n      " + line;
        return arguments(line, "resilience:\n  " + kind + ":\n    payments:" + below, description, action);
    }

    @Test
    void aPresetInAnAnnotationIsToldToBeOneAndTheAdviceWorks() {
        String advice = fail(NamesAPreset.class)
                .says("names the retry policy 'interactive'")
                .advises("'interactive' is a preset", "    resilience.retry.interactive:\n      extends: interactive")
                .action();

        String yaml = advice.substring(advice.indexOf("    resilience.")).stripIndent();
        start(yaml, NamesAPreset.class).close();
    }

    @Test
    void aNameWithABlankIsWrittenInBrackets() {
        fail("resilience.retry.card payments.max-attempts: 3", NamesWithABlank.class)
                .advises("'resilience.retry[card payments]'", "Did you mean 'cardpayments'?");
        start("resilience.retry:\n  \"[card payments]\": {max-attempts: 3}", NamesWithABlank.class)
                .close();
    }

    static class NamesByPlaceholder {

        @Retryable("${name}")
        void pay() {}
    }

    static class NamesAPreset {

        @Retryable("interactive")
        void pay() {}
    }

    static class NamesWithABlank {

        @Retryable("card payments")
        void pay() {}
    }

    static class NamesCards {

        @Retryable("cards")
        void pay() {}
    }
}
