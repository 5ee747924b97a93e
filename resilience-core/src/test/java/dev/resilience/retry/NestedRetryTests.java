package dev.resilience.retry;

import static dev.resilience.event.CapturedLog.pairsOf;
import static dev.resilience.event.RetryOutcome.EXHAUSTED;
import static dev.resilience.event.RetryOutcome.INTERRUPTED;
import static dev.resilience.event.RetryOutcome.NOT_RETRYABLE;
import static dev.resilience.event.RetryOutcome.SUCCESS;
import static dev.resilience.retry.RetryBench.assertCounted;
import static dev.resilience.retry.RetryBench.counted;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryPolicy.Nested.SUPPRESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.event.CapturedLog;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.InContext;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A method with a retry that is called by a method with a retry. */
@ParameterizedClass
@EnumSource
class NestedRetryTests {

    private final RetryBench bench;
    private final CallStyle style;
    private final CapturedLog log = CapturedLog.of(Retry.class);
    private final List<Integer> numbersSeen = new ArrayList<>();
    private Throwable failure = new ConnectException("refused");

    NestedRetryTests(CallStyle style) {
        this.style = style;
        bench = new RetryBench(style);
    }

    @AfterEach
    void close() {
        log.close();
        assertThat(Attempt.current()).isNull();
    }

    @Test
    void attemptsMultiplyWhereTheyMay() {
        call(named("outer", policy()), named("inner", policy()));

        assertThat(bench.attempts).hasSize(9);
    }

    @Test
    void theInnerOneRemembersWhatRepeatedIt() {
        Retry outer = named("outer", policy());
        Retry inner = named("inner", policy());
        assertThat(inner.nestedIn()).isNull();

        call(outer, inner);
        call(named("another", policy()), inner);

        assertThat(inner.nestedIn()).isEqualTo("retry 'outer'");
        assertThat(outer.nestedIn()).isNull();
    }

    @Test
    void theInnerOneMakesOneAttemptWhereItIsToldTo() {
        Retry inner = named("inner", policy().nested(SUPPRESS));

        Throwable seen = call(named("outer", policy()), inner);

        assertThat(seen).isSameAs(failure);
        assertThat(bench.attempts).hasSize(3);
        assertThat(counted(inner)).isEqualTo(Map.of(EXHAUSTED, 3L));
        assertThat(inner.attempts()).isZero();
    }

    @Test
    void theOutcomeSaysWhyItWouldNotHaveRetriedAnyway() {
        failure = new IllegalArgumentException("permanent");
        Retry inner = named("inner", policy().nested(SUPPRESS));
        call(named("outer", policy()), inner);
        assertCounted(inner, NOT_RETRYABLE);

        failure = new InterruptedException("stop");
        Retry another = named("another", policy().nested(SUPPRESS));
        call(named("outer", policy()), another);
        assertCounted(another, INTERRUPTED);
        Thread.interrupted();
    }

    @Test
    void onlyTheOutermostRetriesThroughSeveralLevels() {
        call(
                named("outer", policy()),
                named("middle", policy().nested(SUPPRESS)),
                named("inner", policy().nested(SUPPRESS)));

        assertThat(bench.attempts).hasSize(3);
    }

    @Test
    void aPolicyOfOneAttemptDoesNotCountAsRetrying() {
        call(named("outer", policy().maxAttempts(1)), named("inner", policy().nested(SUPPRESS)));

        assertThat(bench.attempts).hasSize(3);
        assertThat(numbersSeen).containsExactly(1, 2, 3);
    }

    @Test
    void aCallOfItsOwnIsRetriedWhereNestedOnesAreNot() {
        call(named("alone", policy().nested(SUPPRESS)));

        assertThat(bench.attempts).hasSize(3);
    }

    @Test
    void aCallAfterAFailedOneIsNotNested() throws Throwable {
        Retry retry = named("orders", policy().nested(SUPPRESS));
        call(retry);
        bench.attempts.clear();

        call(retry);

        assertThat(bench.attempts).hasSize(3);
    }

    @Test
    void theNumberOfTheAttemptIsTheHighestOfAllAround() {
        call(named("outer", policy()), named("inner", policy().maxAttempts(2)));

        assertThat(numbersSeen).containsExactly(1, 2, 2, 2, 3, 3);
    }

    @Test
    void aRequestThatIsARepetitionIsNotRetriedWhereNestedCallsAreNot() {
        Retry retry = named("orders", policy().nested(SUPPRESS));

        callAsRepetition(retry);

        assertThat(bench.attempts).hasSize(1);
        assertThat(numbersSeen).as("is told to those called next").containsExactly(2);
        assertCounted(retry, EXHAUSTED);
    }

    @Test
    void aRequestThatIsARepetitionIsRetriedWhereItMay() {
        callAsRepetition(named("orders", policy()));

        assertThat(bench.attempts).hasSize(3);
        assertThat(numbersSeen).containsExactly(2, 2, 3);
    }

    @Test
    void everyInnerCallOfAnAttemptIsNested() throws Throwable {
        Retry inner = named("inner", policy().nested(SUPPRESS));
        Pipeline outer = Pipeline.of(named("outer", policy().maxAttempts(2)));

        Throwable seen = catchThrowable(() -> style.call(outer, bench.time, () -> {
            call(inner);
            call(inner);
            throw failure;
        }));

        assertThat(seen).isSameAs(failure);
        assertThat(bench.attempts).as("two calls in each of two attempts").hasSize(4);
    }

    @Test
    void aPolicyOfOneAttemptIsNotReportedEither() {
        call(named("outer", policy()), named("inner", policy().maxAttempts(1)));

        assertThat(nestings()).isEmpty();
    }

    @Test
    void theRetryOfAnotherServiceIsReportedLikeAPolicy() {
        callAsRepetition(named("orders", policy()));

        assertThat(nestings()).containsExactly("orders in the caller of this service");
    }

    @Test
    void aNestedRetryIsReportedEvenIfItIsFirstSeenInALaterAttempt() throws Throwable {
        Retry inner = named("inner", policy());
        Pipeline outer = Pipeline.of(named("outer", policy()));
        int[] attempts = {0};

        style.call(outer, bench.time, () -> {
            if (++attempts[0] == 1) {
                throw failure;
            }
            return bench.call(inner, () -> "result");
        });

        assertThat(nestings()).containsExactly("inner in retry 'outer'");
    }

    @Test
    void whatIsPartOfARepetitionPaysForNoRetries() {
        RetryBudgetPolicy ratioOfOne = RetryBudgetPolicy.builder()
                .maxRatio(1)
                .minRetriesPerSecond(1)
                .window(Duration.ofSeconds(10))
                .build();
        RetryBudget shared = new RetryBudget("shared", ratioOfOne, bench.time);
        Retry outer = withBudget("outer", policy().maxAttempts(1_000).backoff(RetryBench.fixed(Duration.ZERO)), shared);
        Retry inner = withBudget("inner", policy().nested(SUPPRESS), shared);

        call(outer, inner);

        assertThat(bench.attempts)
                .as("the call and the ten retries that are always allowed")
                .hasSize(1 + 10);
    }

    private static Retry withBudget(String name, RetryPolicy.Builder policy, RetryBudget budget) {
        return RetryBuilder.retry(name, policy.build())
                .timeSource(new ManualTimeSource())
                .budget(budget)
                .build();
    }

    private List<String> nestings() {
        return log.events().stream()
                .filter(entry -> pairsOf(entry).containsValue("retry_nested"))
                .map(entry ->
                        pairsOf(entry).get("policy") + " in " + pairsOf(entry).get("outer"))
                .toList();
    }

    @Test
    void aNestedCallThatSucceedsIsASuccess() throws Throwable {
        Retry inner = named("inner", policy().nested(SUPPRESS));
        Pipeline outer = Pipeline.of(named("outer", policy()));

        Object result = style.call(outer, bench.time, () -> bench.call(inner, () -> "result"));

        assertThat(result).isEqualTo("result");
        assertCounted(inner, SUCCESS);
    }

    @Test
    void everyPairOfPoliciesIsReportedOnce() {
        Retry outer = named("outer", policy());
        Retry inner = named("inner", policy());
        call(outer, inner);
        call(outer, inner);
        call(inner, outer);
        call(named("another", policy()), inner);
        call(outer, named("quiet", policy().nested(SUPPRESS)));

        List<ILoggingEvent> reports = log.events().stream()
                .filter(entry -> pairsOf(entry).containsValue("retry_nested"))
                .toList();
        assertThat(reports)
                .extracting(entry ->
                        pairsOf(entry).get("policy") + " in " + pairsOf(entry).get("outer"))
                .containsExactly("inner in retry 'outer'", "outer in retry 'inner'", "inner in retry 'another'");
        assertThat(reports).allMatch(entry -> entry.getLevel() == Level.WARN);
        assertThat(reports.get(0).getFormattedMessage())
                .isEqualTo(
                        "Retry 'inner' works inside retry 'outer', so the attempts of both multiply. To leave retrying "
                                + "to the outer one, set resilience.retry.inner.nested to suppress. Logged once.");
    }

    private Retry named(String name, RetryPolicy.Builder policy) {
        return RetryBuilder.retry(name, policy.build()).timeSource(bench.time).build();
    }

    /** Calls a failing method through retries, each in a method of its own, the outermost first. */
    private @Nullable Throwable call(Retry... retries) {
        return catchThrowable(() -> call(List.of(retries), Collections.emptyList()));
    }

    private void callAsRepetition(Retry retry) {
        CallContext repeated = new CallContext(null, Attempt.of("the caller of this service", 2, null));
        assertThat(catchThrowable(() -> call(List.of(retry), List.of(new InContext(repeated)))))
                .isSameAs(failure);
    }

    private void call(List<Retry> retries, List<InContext> around) throws Throwable {
        Invocation body = () -> {
            bench.attempts.add(bench.time.elapsed());
            Attempt attempt = Attempt.current();
            numbersSeen.add(attempt == null ? 1 : attempt.number());
            throw failure;
        };
        // one pipeline of all layers: the steps of an inner method run where its caller's body would
        List<Layer> layers = new ArrayList<>(around);
        layers.addAll(retries);
        style.call(Pipeline.of(layers), bench.time, body);
    }
}
