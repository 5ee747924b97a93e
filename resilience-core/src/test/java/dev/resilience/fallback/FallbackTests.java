package dev.resilience.fallback;

import static dev.resilience.event.FallbackOutcome.FAILURE;
import static dev.resilience.event.FallbackOutcome.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class FallbackTests {

    @Parameter
    private CallStyle style;

    private final IOException failure = new IOException("down");
    private final List<Throwable> answered = new ArrayList<>();

    @Test
    void itIsNotAskedWhereTheCallSucceeds() throws Throwable {
        Fallback fallback = fallback(anything -> true, () -> "fallback");

        assertThat(call(fallback, () -> "result")).isEqualTo("result");

        assertThat(answered).isEmpty();
        assertThat(fallback.calls().total()).isZero();
    }

    @Test
    void itAnswersInPlaceOfAFailure() throws Throwable {
        Fallback fallback = fallback(anything -> true, () -> "fallback");

        assertThat(call(fallback, failing(failure))).isEqualTo("fallback");

        assertThat(answered).containsExactly(failure);
        assertThat(fallback.calls().get(SUCCESS)).isOne();
        assertThat(fallback.calls().total()).isOne();
    }

    @Test
    void itsAnswerMayBeNull() throws Throwable {
        assertThat(call(fallback(anything -> true, () -> null), failing(failure)))
                .isNull();
    }

    @Test
    void itAnswersForErrorsWhereItSaysSo() throws Throwable {
        assertThat(call(fallback(anything -> true, () -> "fallback"), failing(new StackOverflowError())))
                .isEqualTo("fallback");
    }

    @Test
    void anInterruptThatItAnswersForIsNotForgotten() throws Throwable {
        Fallback fallback = fallback(anything -> true, () -> "fallback");

        assertThat(call(fallback, failing(new InterruptedException()))).isEqualTo("fallback");

        assertThat(Thread.interrupted()).as("unless it happened elsewhere").isEqualTo(style != CallStyle.ASYNC);
    }

    @Test
    void aFailureThatItDoesNotAnswerComesThroughUncounted() {
        Fallback fallback = fallback(IllegalStateException.class::isInstance, () -> "fallback");

        assertThat(catchThrowable(() -> call(fallback, failing(failure)))).isSameAs(failure);

        assertThat(answered).isEmpty();
        assertThat(fallback.calls().total()).isZero();
    }

    @Test
    void itsOwnFailureIsWhatTheCallerSees() {
        IllegalStateException again = new IllegalStateException("the fallback is down too");
        Fallback fallback = fallback(anything -> true, failing(again));

        assertThat(catchThrowable(() -> call(fallback, failing(failure)))).isSameAs(again);

        assertThat(fallback.calls().get(FAILURE)).isOne();
        assertThat(fallback.calls().total()).isOne();
    }

    @Test
    void aFallbackAroundAFallbackAnswersForItsFailure() throws Throwable {
        IllegalStateException again = new IllegalStateException();
        Fallback inner = fallback(anything -> true, failing(again));
        Fallback outer = fallback(anything -> true, () -> "last resort");

        Object result = style.call(Pipeline.of(outer, inner), new ManualTimeSource(), failing(failure));

        assertThat(result).isEqualTo("last resort");
        assertThat(answered).containsExactly(failure, again);
    }

    @Test
    void aBrokenChoiceEndsTheCallWithItsOwnFailure() {
        IllegalStateException broken = new IllegalStateException();
        Fallback fallback = fallback(
                anything -> {
                    throw broken;
                },
                () -> "fallback");

        assertThat(catchThrowable(() -> call(fallback, failing(failure)))).isSameAs(broken);
        assertThat(fallback.calls().total()).isZero();
    }

    @Test
    void itIsNamedAfterTheProtectedMethod() {
        assertThat(fallback(anything -> true, () -> "fallback").name()).isEqualTo("OrderService.place");
    }

    private @Nullable Object call(Fallback fallback, Invocation body) throws Throwable {
        return style.call(Pipeline.of(fallback), new ManualTimeSource(), body);
    }

    private Fallback fallback(Predicate<Throwable> answers, Invocation answer) {
        return new Fallback(
                "OrderService.place",
                new FallbackMethod() {
                    @Override
                    public boolean answers(Throwable failed) {
                        return answers.test(failed);
                    }

                    @Override
                    public @Nullable Object answer(Invocation invocation, Throwable failed) throws Throwable {
                        answered.add(failed);
                        Object result = style == CallStyle.ASYNC ? future(answer) : answer.proceed();
                        return style == CallStyle.ASYNC_THROWING ? CompletableFuture.completedFuture(result) : result;
                    }
                },
                TimeSource.system());
    }

    private static CompletableFuture<@Nullable Object> future(Invocation answer) {
        try {
            return CompletableFuture.completedFuture(answer.proceed());
        } catch (Throwable failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    private static Invocation failing(Throwable failure) {
        return () -> {
            throw failure;
        };
    }
}
