package dev.resilience.retry;

import static dev.resilience.retry.RetryBench.fails;
import static dev.resilience.retry.RetryBench.policy;
import static dev.resilience.retry.RetryBench.returns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.RetryOutcome;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.RetryBench.HttpError;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the caller of a method that failed in the end gets to see. */
@ParameterizedClass
@EnumSource
class RetryFailureTests {

    private final RetryBench bench;

    RetryFailureTests(CallStyle style) {
        bench = new RetryBench(style);
    }

    @Test
    void theLastFailureIsThrownUnwrappedWithTheEarlierOnesSuppressed() {
        List<ConnectException> failures = failures(3);

        assertThat(lastOf(failures)).isSameAs(failures.get(2)).hasNoCause();

        assertThat(failures.get(2).getSuppressed()).containsExactly(failures.get(0), failures.get(1));
        assertThat(failures.get(1).getSuppressed()).isEmpty();
        assertThat(failures.get(0).getSuppressed()).isEmpty();
    }

    @Test
    void aFailureThatIsNotRetriedCarriesTheEarlierOnesToo() {
        ConnectException first = new ConnectException();
        IllegalArgumentException permanent = new IllegalArgumentException();
        Retry retry = bench.retry(policy());

        assertThat(catchThrowable(() -> bench.call(retry, fails(first), fails(permanent))))
                .isSameAs(permanent);

        assertThat(permanent.getSuppressed()).containsExactly(first);
    }

    /** On the caller's thread: a stage of the JDK asks for the message itself. */
    @Test
    void aMessageThatCannotBeMadeDoesNotTakeTheFailuresPlace() {
        ConnectException mute = new ConnectException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("lazy");
            }
        };
        RetryBench synchronous = new RetryBench(CallStyle.SYNC);
        Retry retry = synchronous.retry(policy());

        assertThat(catchThrowable(() -> synchronous.call(retry, fails(mute), fails(mute), fails(mute))))
                .isSameAs(mute);
        RetryBench.assertCounted(retry, RetryOutcome.EXHAUSTED);
    }

    @Test
    void neitherDoesACauseThatCannotBeTold() {
        IllegalStateException secretive = new IllegalStateException() {
            @Override
            public synchronized Throwable getCause() {
                throw new UnsupportedOperationException();
            }
        };
        RetryBench synchronous = new RetryBench(CallStyle.SYNC);
        Retry retry = synchronous.retry(policy());

        assertThat(catchThrowable(() -> synchronous.call(retry, fails(secretive))))
                .isSameAs(secretive);
        RetryBench.assertCounted(retry, RetryOutcome.NOT_RETRYABLE);
    }

    @Test
    void neitherDoesAHintBeyondAllBounds() {
        HttpError busy = new HttpError(503, "9223372036854775807");
        Retry retry = bench.retry(policy().maxRetryAfter(Duration.ofSeconds(Long.MAX_VALUE))
                .maxDuration(Duration.ofSeconds(Long.MAX_VALUE))
                .maxAttempts(1));
        assertThat(catchThrowable(() -> bench.call(retry, fails(busy)))).isSameAs(busy);

        Retry patient = bench.retry(
                policy().maxRetryAfter(Duration.ofSeconds(Long.MAX_VALUE)).maxDuration(Duration.ofDays(1)));
        assertThat(catchThrowable(() -> bench.call(patient, fails(busy)))).isSameAs(busy);
        RetryBench.assertCounted(patient, RetryOutcome.OUT_OF_TIME);
    }

    @Test
    void anOnlyFailureCarriesNothing() {
        assertThat(lastOf(failures(1))).hasNoSuppressedExceptions();
    }

    @Test
    void atMostTheLastTenEarlierFailuresAreAttached() {
        List<ConnectException> failures = failures(25);

        Throwable last = lastOf(failures);

        assertThat(last).isSameAs(failures.get(24));
        assertThat(last.getSuppressed())
                .containsExactlyElementsOf(failures.subList(14, 24).stream()
                        .map(Throwable.class::cast)
                        .toList());
    }

    @Test
    void aConstantExceptionIsNotAttachedToItself() {
        ConnectException constant = new ConnectException("always the same");

        assertThat(lastOf(List.of(constant, constant, constant)))
                .isSameAs(constant)
                .hasNoSuppressedExceptions();
    }

    @Test
    void aConstantExceptionDoesNotGrowFromCallToCall() {
        ConnectException constant = new ConnectException("always the same");
        ConnectException another = new ConnectException("always this one");

        for (int call = 0; call < 100; call++) {
            lastOf(List.of(another, constant));
        }
        assertThat(constant.getSuppressed()).containsExactly(another);

        for (int call = 0; call < 100; call++) {
            lastOf(List.of(new ConnectException("a new one"), constant));
        }
        assertThat(constant.getSuppressed()).hasSize(10);
    }

    @Test
    void twoConstantsThatFollowEachOtherAreEachAttachedOnce() {
        ConnectException a = new ConnectException("a");
        ConnectException b = new ConnectException("b");

        assertThat(lastOf(List.of(a, b, a))).isSameAs(a);
        assertThat(lastOf(List.of(b, a, b))).isSameAs(b);

        assertThat(a.getSuppressed()).containsExactly(b);
        assertThat(b.getSuppressed()).containsExactly(a);
    }

    @Test
    void anExceptionThatTakesNoSuppressedOnesComesThroughToo() {
        class Bare extends RuntimeException {
            Bare() {
                super("bare", null, false, false);
            }
        }
        Bare bare = new Bare();
        Retry retry = bench.retry(policy());

        assertThat(catchThrowable(() -> bench.call(retry, fails(new ConnectException()), fails(bare))))
                .isSameAs(bare)
                .hasNoSuppressedExceptions();
    }

    @Test
    void aSuccessIsTouchedByNothing() throws Throwable {
        ConnectException first = new ConnectException();

        bench.call(bench.retry(policy()), fails(first), returns("result"));

        assertThat(first).hasNoSuppressedExceptions();
    }

    private Throwable lastOf(List<ConnectException> failures) {
        Invocation[] script = failures.stream().map(RetryBench::fails).toArray(Invocation[]::new);
        Retry retry = bench.retry(policy().maxAttempts(failures.size()));
        return catchThrowable(() -> bench.call(retry, script));
    }

    private static List<ConnectException> failures(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new ConnectException("failure " + i))
                .toList();
    }
}
