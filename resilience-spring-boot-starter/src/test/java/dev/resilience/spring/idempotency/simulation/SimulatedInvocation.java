package dev.resilience.spring.idempotency.simulation;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.attempt.AttemptRecorder;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call of the method from the pipeline inwards: the method's transaction, within it the door at which the engine asks and
 * is told ({@code ResultRecordingAdvisor}), behind it the body. A stage does not pass the door.
 */
final class SimulatedInvocation implements Invocation {

    private final World world;
    private final SimulatedNode node;
    private final CallPlan plan;
    private @Nullable AttemptRecorder door;
    private int attempts;

    SimulatedInvocation(World world, SimulatedNode node, CallPlan plan) {
        this.world = world;
        this.node = node;
        this.plan = plan;
    }

    @Override
    public void attach(Object forTheBody) {
        door = (AttemptRecorder) forTheBody;
    }

    @Override
    public @Nullable Object[] arguments() {
        return new Object[] {plan.key()};
    }

    @Override
    public @Nullable Object proceed() throws Exception {
        BodyPlan body = plan.body(attempts++);
        return switch (plan.style()) {
            case STAGE -> stage(body);
            case CALLERS_PART -> node.transactions().nested(() -> throughTheDoor(body));
            case OWN ->
                within(
                        body.adviceAround(),
                        () -> node.transactions()
                                .required(
                                        plan.isolation(),
                                        () -> within(body.adviceWithin(), () -> throughTheDoor(body))));
            case CALLERS_JOINED -> node.transactions().required(plan.isolation(), () -> throughTheDoor(body));
            case PLAIN, CALLERS, CALLERS_NESTED -> throughTheDoor(body);
        };
    }

    private @Nullable Object within(Duration advice, Callable<@Nullable Object> work) throws Exception {
        try {
            return work.call();
        } finally {
            if (!advice.isZero()) {
                node.time().sleep(advice);
            }
        }
    }

    private @Nullable Object throughTheDoor(BodyPlan body) throws Exception {
        AttemptRecorder engine = door;
        if (engine == null) {
            return run(body);
        }
        AttemptRecorder.Attempt attempt = engine.begin();
        if (attempt.isAnswered()) {
            return answerOf(attempt);
        }
        Object result;
        try {
            result = run(body);
        } catch (Throwable failure) {
            attempt.threw(failure);
            throw failure;
        }
        attempt.returned(result);
        reportRollback(attempt);
        return result;
    }

    /** As the starter's {@code UndoneAttempt} does. */
    private void reportRollback(AttemptRecorder.Attempt attempt) {
        ManagedTransaction current = node.transactions().current();
        if (current == null || !attempt.hearsNothingOfTransaction()) {
            return;
        }
        if (current.isRollbackOnly() || current.isDoomed()) {
            attempt.undone();
        } else {
            current.add(new RollbackListener(attempt::undone));
        }
    }

    private static @Nullable Object answerOf(AttemptRecorder.Attempt answered) throws Exception {
        try {
            return answered.earlierAnswer();
        } catch (Exception | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    private Object stage(BodyPlan body) {
        UncancellableStage stage = new UncancellableStage();
        world.baton().start("stage", node.machine(), () -> {
            try {
                stage.complete(run(body));
            } catch (Exception failure) {
                stage.completeExceptionally(failure);
            }
        });
        return stage;
    }

    /** A body that cannot be stopped, as that of an HTTP client that has sent its request. */
    private static final class UncancellableStage extends CompletableFuture<@Nullable Object> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    private Object run(BodyPlan plan) throws Exception {
        SimulatedBody body = world.history().begin(this.plan.key());
        world.baton().trace().task("body " + body.value() + " begins");
        world.lookAtBodies(body);
        if (this.plan.style().isCallers()) {
            body.decidedByCaller();
        }
        try {
            node.time().sleep(plan.before());
            addEffect(body);
            node.time().sleep(plan.after());
            String result = end(body, plan);
            boolean unfinished = result.contains(SimulatedBody.UNFINISHED);
            body.ended(unfinished ? SimulatedBody.End.UNFINISHED : SimulatedBody.End.RETURNED);
            world.baton().trace().task("body " + body.value() + " returns");
            return result;
        } catch (Exception failure) {
            boolean answer = failure instanceof Failures.Declined;
            body.ended(answer ? SimulatedBody.End.DECLINED : SimulatedBody.End.THREW);
            world.baton().trace().task("body " + body.value() + " throws " + failure);
            throw failure;
        }
    }

    private String end(SimulatedBody body, BodyPlan plan) {
        switch (plan.ending()) {
            case RETURNS -> {}
            case RETURNS_UNFINISHED -> {
                return body.value() + SimulatedBody.UNFINISHED;
            }
            case RETURNS_TOO_MUCH -> {
                return body.value() + SimulatedBody.UNFINISHED + World.TOO_MUCH;
            }
            case FAILS_AT_COMMIT -> {
                ManagedTransaction current = node.transactions().current();
                if (current != null) {
                    current.failAtCommit(true);
                }
            }
            case THROWS -> throw new Failures.Passing();
            case THROWS_TOLERATED -> throw new Failures.Tolerated();
            case DECLINES -> throw new Failures.Declined(body.value());
            case RETURNS_WITHOUT_EFFECT -> {
                body.wantsNoEffect();
                ManagedTransaction current = node.transactions().current();
                if (current != null) {
                    setRollbackOnly(current);
                }
            }
        }
        return body.value();
    }

    /** By its owner it is rolled back without a word; a joining method can only doom it. */
    private void setRollbackOnly(ManagedTransaction current) {
        if (plan.style() == CallPlan.Style.OWN) {
            current.setRollbackOnly();
        } else {
            current.doom();
        }
    }

    private void addEffect(SimulatedBody body) {
        ManagedTransaction current = node.transactions().current();
        if (current != null) {
            add(current.connection(), body);
            return;
        }
        SimulatedConnection connection = node.pool().take();
        try {
            add(connection, body);
        } finally {
            node.pool().giveBack(connection);
        }
    }

    private static void add(SimulatedConnection connection, SimulatedBody body) {
        connection.execute("effect", () -> {
            connection.session().addEffect(body);
            return true;
        });
    }
}
