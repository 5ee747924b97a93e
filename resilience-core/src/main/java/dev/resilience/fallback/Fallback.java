package dev.resilience.fallback;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.CallObserver;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The fallback of one method: asked when everything inside it has failed. The log reports each answer, because the
 * caller cannot see that there was an outage. Safe for use by many threads.
 */
public final class Fallback implements Layer, AutoCloseable {

    private static final LogLine ANSWERED = LogLine.warn("fallback_answered", "success");
    private static final LogLine FAILED = LogLine.warn("fallback_failed", "failure");

    private final String name;
    private final FallbackMethod method;
    private final OutcomeCounters<FallbackOutcome> calls;
    private final FoldedLog log;

    /**
     * @param name the protected method: {@code OrderService.place}
     * @param time tells when a second of the log is over
     */
    public Fallback(String name, FallbackMethod method, TimeSource time) {
        this.name = name;
        this.method = method;
        this.calls = new OutcomeCounters<>(FallbackOutcome.class);
        this.log = new FoldedLog(
                LoggerFactory.getLogger(Fallback.class), time, "Fallback", name, "fallback_summary", calls::byLabel);
    }

    private Fallback(Fallback sameName, FallbackMethod method) {
        this.name = sameName.name;
        this.method = method;
        this.calls = sameName.calls;
        this.log = sameName.log;
    }

    /** A fallback of the same name, which shares the counts of this one and folds its log together with it. */
    public Fallback with(FallbackMethod other) {
        return new Fallback(this, other);
    }

    public String name() {
        return name;
    }

    /** Calls of the fallback methods of this name by how they ended. */
    public OutcomeCounters<FallbackOutcome> calls() {
        return calls;
    }

    /** Writes to the log what it has counted in place of single lines. What is still called works as before. */
    @Override
    public void close() {
        log.close();
    }

    @Override
    public Step around(Step next) {
        return new FallbackStep(false, next);
    }

    /** The same fallback, which leaves the replays of dead letters alone: they are to fail if the method does. */
    public Layer exceptInReplays() {
        return next -> new FallbackStep(true, next);
    }

    void answered(Throwable failure) {
        calls.count(FallbackOutcome.SUCCESS);
        log.write(
                ANSWERED,
                failure,
                (line, failed) -> line.log("Fallback '{}': the fallback method answered for {}", name, failed));
    }

    void failed(Throwable failure, Throwable again) {
        calls.count(FallbackOutcome.FAILURE);
        log.write(FAILED, again, (line, failed) -> {
            String answeredFor = failure.getClass().getName();
            String what = "the fallback method, asked because of " + answeredFor + ", failed";
            line.addKeyValue("answeredFor", answeredFor).log("Fallback '{}': {}: {}", name, what, failed);
        });
    }

    /** Runs the rest of the pipeline and, where that fails, asks the fallback method. */
    final class FallbackStep extends AsyncStep {

        private final boolean exceptInReplays;

        FallbackStep(boolean exceptInReplays, Step next) {
            super(next);
            this.exceptInReplays = exceptInReplays;
        }

        @Override
        public @Nullable Object call(Invocation invocation) throws Throwable {
            IdempotencyContext idempotent = IdempotencyContext.current();
            sayAnswered(idempotent, invocation, false);
            try {
                return next.call(invocation);
            } catch (Throwable failure) {
                if (!isAnswered(failure)) {
                    throw failure;
                }
                sayAnswered(idempotent, invocation, true);
                Object answer = answer(invocation, failure);
                if (failure instanceof InterruptedException) {
                    Thread.currentThread().interrupt(); // the interrupt is answered for, but not forgotten
                }
                return answer;
            }
        }

        private boolean isAnswered(Throwable failure) {
            Attempt attempt = exceptInReplays ? Attempt.current() : null;
            return (attempt == null || !attempt.isReplay()) && method.answers(failure);
        }

        /** An idempotent call around this step never stores the answer of a fallback. */
        private static void sayAnswered(
                @Nullable IdempotencyContext idempotent, Invocation invocation, boolean answered) {
            if (idempotent != null) {
                idempotent.setAnsweredByFallback(invocation, answered);
            }
            if (answered && CallContext.ofThread()[CallContext.OBSERVER] instanceof CallObserver observer) {
                observer.fallbackBegins(invocation);
            }
        }

        private @Nullable Object answer(Invocation invocation, Throwable failure) throws Throwable {
            Object answer;
            try {
                answer = method.answer(invocation, failure);
            } catch (Throwable again) {
                failed(failure, again);
                throw again;
            }
            answered(failure);
            return answer;
        }

        @Override
        protected Next enter(AsyncCall call) {
            sayAnswered(call.idempotency(), call.invocation(), false);
            return Next.INWARD;
        }

        /** Asked once more when the fallback's own stage has ended; meanwhile the call holds the failure that it answers for. */
        @Override
        protected Next exit(AsyncCall call) throws Throwable {
            Throwable answered = (Throwable) call.held();
            Throwable failure = call.failure();
            if (answered != null) {
                if (failure == null) {
                    answered(answered);
                } else {
                    failed(answered, failure);
                }
                return Next.OUTWARD;
            }
            if (failure == null || call.isOver() || call.invocation().hasEmitted() || !isAnswered(failure)) {
                return Next.OUTWARD;
            }
            sayAnswered(call.idempotency(), call.invocation(), true);
            call.hold(failure);
            try {
                return call.await(stage(method.answer(call.invocation(), failure)));
            } catch (Throwable again) {
                failed(failure, again);
                throw again;
            }
        }

        /** An answer that is there already needs no stage around it. */
        private static CompletionStage<?> stage(@Nullable Object answer) {
            return answer instanceof CompletionStage<?> stage ? stage : CompletableFuture.completedFuture(answer);
        }
    }
}
