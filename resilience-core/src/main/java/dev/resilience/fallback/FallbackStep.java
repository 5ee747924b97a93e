package dev.resilience.fallback;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Runs the rest of the pipeline and, where that fails, asks the fallback method. */
final class FallbackStep extends Step {

    private final Fallback fallback;
    private final FallbackMethod method;
    private final UnaryOperator<@Nullable Object> answers;
    private final Step next;

    /**
     * @param answers makes of an answer what the next step further out gets
     */
    FallbackStep(Fallback fallback, UnaryOperator<@Nullable Object> answers, Step next) {
        this.fallback = fallback;
        this.answers = answers;
        this.method = fallback.method();
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        try {
            return next.call(invocation);
        } catch (Throwable failure) {
            if (!method.answers(failure)) {
                throw failure;
            }
            Object answer = answer(invocation, failure);
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // the interrupt is answered for, but not forgotten
            }
            return answer;
        }
    }

    private @Nullable Object answer(Invocation invocation, Throwable failure) throws Throwable {
        Object answer;
        try {
            answer = method.answer(invocation, failure);
        } catch (Throwable again) {
            fallback.failed(failure, again);
            throw again;
        }
        fallback.answered(failure);
        return answers.apply(answer);
    }

    @Override
    public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
        LinkedFuture answer = new LinkedFuture();
        answer.await(next, invocation, (result, failure) -> {
            if (failure == null || answer.isOver() || invocation.endAttempt() || !method.answers(failure)) {
                answer.finish(result, failure);
            } else {
                answer.inCallersSurroundings(() -> answerAsync(invocation, failure, answer));
            }
        });
        return answer;
    }

    private void answerAsync(Invocation invocation, Throwable failure, LinkedFuture answer) {
        answer.await(LinkedFuture.of(() -> method.answer(invocation, failure)), (result, again) -> {
            if (again == null) {
                fallback.answered(failure);
                answer.finish(answers.apply(result), null);
            } else {
                fallback.failed(failure, again);
                answer.finish(null, again);
            }
        });
    }
}
