package dev.resilience.idempotency;

import dev.resilience.idempotency.AttemptRecorder.Attempt;
import dev.resilience.idempotency.AttemptRecorder.EarlierAnswer;
import dev.resilience.idempotency.state.EndedAttempts.EndedAttempt;
import org.jspecify.annotations.Nullable;

/** One attempt as the advisor of its body sees it. */
final class RecordedAttempt implements Attempt {

    private final TransactionalAttempts attempts;
    private final @Nullable EarlierAnswer earlierAnswer;
    private volatile @Nullable EndedAttempt returned;

    RecordedAttempt(TransactionalAttempts attempts, @Nullable EarlierAnswer earlierAnswer) {
        this.attempts = attempts;
        this.earlierAnswer = earlierAnswer;
    }

    @Override
    public @Nullable EarlierAnswer earlierAnswer() {
        return earlierAnswer;
    }

    @Override
    public void returned(@Nullable Object result) {
        returned = attempts.returned(result);
    }

    @Override
    public void threw(Throwable failure) {
        attempts.threw(failure);
    }

    @Override
    public boolean hearsNothingOfTransaction() {
        return attempts.transaction() == null;
    }

    @Override
    public void undone() {
        EndedAttempt attempt = returned;
        if (attempt != null) {
            attempt.undo();
        }
    }
}
