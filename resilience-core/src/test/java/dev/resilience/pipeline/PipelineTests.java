package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PipelineTests {

    private final List<String> walked = new ArrayList<>();

    @ParameterizedTest
    @EnumSource
    void layersAreWalkedFromTheFirstInwards(CallStyle style) throws Throwable {
        Pipeline pipeline = Pipeline.of(noting("a"), noting("b"), noting("c"));

        Object result = style.call(pipeline, new ManualTimeSource(), () -> {
            walked.add("body");
            return "result";
        });

        assertThat(walked).containsExactly("a", "b", "c", "body");
        assertThat(result).isEqualTo("result");
    }

    @ParameterizedTest
    @EnumSource
    void withoutLayersItIsTheBody(CallStyle style) throws Throwable {
        assertThat(style.call(Pipeline.of(), new ManualTimeSource(), () -> 42)).isEqualTo(42);
        assertThat(style.call(Pipeline.of(List.of()), new ManualTimeSource(), () -> null))
                .isNull();
    }

    @ParameterizedTest
    @EnumSource
    void itIsComposedOnceAndCalledManyTimes(CallStyle style) throws Throwable {
        List<String> composed = new ArrayList<>();
        Pipeline pipeline = Pipeline.of(next -> {
            composed.add("composed");
            return noting("layer").around(next);
        });

        for (int call = 0; call < 3; call++) {
            assertThat(style.call(pipeline, new ManualTimeSource(), () -> "result"))
                    .isEqualTo("result");
        }

        assertThat(composed).hasSize(1);
        assertThat(walked).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void whateverTheBodyThrowsComesThroughUnchanged(CallStyle style) {
        Pipeline pipeline = Pipeline.of(noting("a"), noting("b"));

        for (Throwable thrown : List.of(new IOException(), new IllegalStateException(), new Error(), new Throwable())) {
            Throwable seen = catchThrowable(() -> style.call(pipeline, new ManualTimeSource(), () -> {
                throw thrown;
            }));

            assertThat(seen).isSameAs(thrown).hasNoCause().hasNoSuppressedExceptions();
        }
    }

    @Test
    void aCheckedExceptionOfALambdaIsTheOneToCatch() {
        IOException checked = new IOException();
        try {
            Pipeline.of(noting("a")).run(() -> {
                throw checked;
            });
        } catch (IOException caught) { // the compiler knows that nothing else is checked
            assertThat(caught).isSameAs(checked);
            return;
        }
        throw new AssertionError("nothing was thrown");
    }

    @Test
    void aLambdaWithoutCheckedExceptionsAsksForNoCatch() {
        int length = Pipeline.of(noting("a")).call("four"::length);
        Supplier<Integer> supplier = () -> 4;

        assertThat(Pipeline.of(noting("a")).get(supplier)).isEqualTo(length);
    }

    @Test
    void whatALambdaThrowsSneakilyIsNotWrapped() {
        Throwable sneaky = new Throwable("neither exception nor error");

        assertThat(catchThrowable(() -> Pipeline.of(noting("a")).call(() -> Sneaky.sneak(sneaky))))
                .isSameAs(sneaky);
    }

    @Test
    void aLambdaThatReturnsNothingRunsOnce() {
        AtomicInteger runs = new AtomicInteger();

        Pipeline.of(noting("a")).run(runs::incrementAndGet);

        assertThat(runs).hasValue(1);
    }

    @Test
    void aLambdaHasItsOwnResultType() throws Exception {
        int length = Pipeline.of(noting("a")).call("four"::length);
        CompletableFuture<Integer> later =
                Pipeline.of(noting("a")).callAsync(() -> CompletableFuture.completedFuture(4));

        assertThat(length).isEqualTo(later.get());
    }

    @Test
    void theBodyRunsOnTheCallersThread() throws Exception {
        assertThat(Pipeline.of(noting("a")).call(Thread::currentThread)).isSameAs(Thread.currentThread());
    }

    @Test
    void layersSeeTheArgumentsOfTheCall() throws Throwable {
        List<Object> seen = new ArrayList<>();
        Pipeline pipeline = Pipeline.of(next -> new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                seen.addAll(List.of(invocation.arguments()));
                return next.call(invocation);
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                return next.callAsync(invocation);
            }
        });

        pipeline.invoke(new Invocation() {
            @Override
            public @Nullable Object proceed() {
                return null;
            }

            @Override
            public Object[] arguments() {
                return new Object[] {"order", 7};
            }
        });
        pipeline.call(() -> "no arguments");

        assertThat(seen).containsExactly("order", 7);
    }

    private Layer noting(String name) {
        return next -> new Step() {
            @Override
            public @Nullable Object call(Invocation invocation) throws Throwable {
                walked.add(name);
                return next.call(invocation);
            }

            @Override
            public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                walked.add(name);
                return next.callAsync(invocation);
            }
        };
    }
}
