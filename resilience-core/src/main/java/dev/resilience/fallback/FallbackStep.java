package dev.resilience.fallback;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.LinkedFuture;
import dev.resilience.pipeline.Step;
import dev.resilience.worker.InterruptibleExecution;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the rest of the pipeline and, where that fails, asks the fallback method, unless the caller has gone: a time limit
 * around it that is over throws its own exception in place of the fallback's answer.
 */
final class FallbackStep extends Step {

    private final FallbackReport report;
    private final FallbackMethod method;
    private final UnaryOperator<@Nullable Object> answers;
    private final Step next;

    /**
     * @param answers makes of an answer what the next outer step gets
     */
    FallbackStep(FallbackReport report, FallbackMethod method, UnaryOperator<@Nullable Object> answers, Step next) {
        this.report = report;
        this.method = method;
        this.answers = answers;
        this.next = next;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        try {
            return next.call(invocation);
        } catch (Throwable failure) {
            if (InterruptibleExecution.isCallOver() || !method.answers(failure)) {
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
            report.failed(failure, again);
            throw again;
        }
        report.answered(failure);
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
        answer.await(LinkedFuture.of(() -> stage(method.answer(invocation, failure))), (result, again) -> {
            if (again == null) {
                report.answered(failure);
                answer.finish(answers.apply(result), null);
            } else {
                report.failed(failure, again);
                answer.finish(null, again);
            }
        });
    }

    /** An answer that is there already needs no stage around it. */
    private static CompletionStage<?> stage(@Nullable Object answer) {
        return answer instanceof CompletionStage<?> stage ? stage : CompletableFuture.completedFuture(answer);
    }
}
