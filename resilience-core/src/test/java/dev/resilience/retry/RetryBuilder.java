package dev.resilience.retry;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.TimeSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** A {@link Retry} of which a test says only what matters to it. */
public final class RetryBuilder {

    private final String name;
    private final RetryPolicy policy;
    private FaultClassification faults = FaultClassification.ofJdk();
    private TimeSource time = TimeSource.system();
    private EventPublisher events = new EventPublisher();

    private @Nullable RetryBudget budget;

    private TransactionState transactions = TransactionState.NONE;
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

    private RetryBuilder(String name, RetryPolicy policy) {
        this.name = name;
        this.policy = policy;
    }

    public static RetryBuilder retry(String name, RetryPolicy policy) {
        return new RetryBuilder(name, policy);
    }

    public RetryBuilder faults(FaultClassification classification) {
        faults = classification;
        return this;
    }

    public RetryBuilder timeSource(TimeSource source) {
        time = source;
        return this;
    }

    public RetryBuilder events(EventPublisher listeners) {
        events = listeners;
        return this;
    }

    public RetryBuilder budget(@Nullable RetryBudget source) {
        budget = source;
        return this;
    }

    public RetryBuilder transactions(TransactionState state) {
        transactions = state;
        return this;
    }

    RetryBuilder random(DoubleSupplier numbers) {
        random = numbers;
        return this;
    }

    public Retry build() {
        Environment environment = new Environment(time, events, faults, ContextCarrier.standard());
        return new Retry(name, policy, environment, budget, transactions, random);
    }
}
