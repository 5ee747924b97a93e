package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.annotation.Retryable;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.time.ManualTimeSource;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Uni;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reactivestreams.Publisher;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Which failures of publishers are tried again, and for how long. */
class RetriedPublishersTests {

    private static final Duration LONG = Duration.ofHours(1);

    @Test
    void theClassOfTheFailureDecidesAsItDoesForValues() {
        Applications.plain(Files.class)
                .withPropertyValues("resilience.retry.default.backoff.base-delay=0")
                .run(context -> {
                    assertThat(attemptsOf(context, IOException::new))
                            .as("listed")
                            .isEqualTo(3);
                    assertThat(attemptsOf(context, () -> new FileSystemException("f")))
                            .as("subclass")
                            .isEqualTo(3);
                    assertThat(attemptsOf(context, () -> new IllegalStateException(new FileSystemException("f"))))
                            .as("cause")
                            .isEqualTo(3);
                    assertThat(attemptsOf(context, () -> new AccessDeniedException("f")))
                            .as("excluded")
                            .isEqualTo(1);
                    assertThat(attemptsOf(context, ArithmeticException::new))
                            .as("neither")
                            .isEqualTo(1);
                });
    }

    @Test
    void aMethodsAnnotationHoldsInPlaceOfItsTypes() {
        Applications.plain(Files.class)
                .withPropertyValues("resilience.retry.default.backoff.base-delay=0")
                .run(context -> {
                    AtomicInteger attempts = new AtomicInteger();
                    StepVerifier.create(context.getBean(Files.class).twice(attempts))
                            .verifyError(AccessDeniedException.class);
                    assertThat(attempts).hasValue(2);
                });
    }

    @Test
    void aRetryOfTheCallersOwnBeginsTheCallAnew() {
        Applications.plain(Files.class)
                .withPropertyValues("resilience.retry.default.backoff.base-delay=0")
                .run(context -> {
                    Files files = context.getBean(Files.class);
                    AtomicInteger attempts = new AtomicInteger();
                    StepVerifier.create(files.twice(attempts).retry(2)).verifyError(AccessDeniedException.class);
                    assertThat(attempts.getAndSet(0)).isEqualTo(3 * 2);
                    assertThat(files.uni(attempts)
                                    .onFailure()
                                    .retry()
                                    .atMost(2)
                                    .onFailure()
                                    .recoverWithItem("later")
                                    .await()
                                    .indefinitely())
                            .isEqualTo("later");
                    assertThat(attempts.getAndSet(0)).isEqualTo(3 * 3);
                    files.single(attempts).retry(2).test().assertError(IOException.class);
                    assertThat(attempts).hasValue(3 * 3);
                });
    }

    private static int attemptsOf(ApplicationContext context, Supplier<Throwable> failures) {
        List<Throwable> failed = new ArrayList<>();
        StepVerifier.create(context.getBean(Files.class).read(() -> {
                    failed.add(failures.get());
                    return failed.get(failed.size() - 1);
                }))
                .verifyErrorSatisfies(failure -> assertThat(failure)
                        .as("the last one itself, with the earlier ones suppressed")
                        .isSameAs(failed.get(failed.size() - 1))
                        .satisfies(last -> assertThat(last.getSuppressed()).hasSize(failed.size() - 1)));
        return failed.size();
    }

    /** An attempt that is slow takes 100 ms, others none. */
    @ParameterizedTest(name = "at most {0} ms, wait {1} ms, attempt {2} is slow: {3} attempts")
    @CsvSource({
        "555, 10, 0, 4",
        " 20,  0, 1, 1",
        " 20, 100, 0, 1",
        " 20,  0, 2, 2",
        " 20,  0, 3, 3",
        "  0,  0, 0, 4",
        " 30, 10, 0, 4",
        " 29, 10, 0, 3"
    })
    void noAttemptBeginsAfterTheLongestDuration(long most, long wait, int slow, int expected) {
        ManualTimeSource time = new ManualTimeSource();
        RetryPolicy.Builder policy = RetryPolicy.builder()
                .maxAttempts(4)
                .budget(RetryPolicy.NO_BUDGET)
                .backoff(Backoff.builder()
                        .baseDelay(Duration.ofMillis(wait))
                        .multiplier(1)
                        .jitter(Jitter.NONE)
                        .build());
        if (most > 0) {
            policy.maxDuration(Duration.ofMillis(most));
        }
        Pipeline pipeline = Resilience.builder()
                .timeSource(time)
                .build()
                .pipeline("p")
                .retry(policy.build())
                .build();
        for (boolean isMono : new boolean[] {true, false}) {
            AtomicInteger attempts = new AtomicInteger();
            Mono<String> source = Mono.defer(() -> {
                if (attempts.incrementAndGet() == slow) {
                    time.advance(Duration.ofMillis(100));
                }
                return Mono.error(new ConnectException("attempt " + attempts));
            });
            Publisher<String> call = ResilienceOperator.<String>of(pipeline).apply(isMono ? source : source.flux());

            StepVerifier.create(call).then(() -> time.advance(LONG)).verifyErrorMessage("attempt " + expected);
            assertThat(attempts).hasValue(expected);
        }
    }

    @Retryable(value = "default", retryOn = IOException.class, doNotRetryOn = AccessDeniedException.class)
    public static class Files {

        public Mono<String> read(Supplier<Throwable> failures) {
            return Mono.error(failures);
        }

        public Uni<String> uni(AtomicInteger attempts) {
            attempts.incrementAndGet();
            return Uni.createFrom().failure(new IOException("f"));
        }

        public Single<String> single(AtomicInteger attempts) {
            attempts.incrementAndGet();
            return Single.error(new IOException("f"));
        }

        @Retryable(maxAttempts = 2, retryOn = IOException.class)
        public Flux<String> twice(AtomicInteger attempts) {
            return Flux.defer(() -> {
                attempts.incrementAndGet();
                return Flux.error(new AccessDeniedException("f"));
            });
        }
    }
}
