package dev.resilience.spring.timelimit;

import static dev.resilience.spring.WarningId.TRANSACTION_ON_WORKER;

import dev.resilience.pipeline.Layer;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Time limits: {@code @TimeLimit} and {@code resilience.time-limit}. */
public final class TimeLimitKind
        extends ConfiguredKind<dev.resilience.annotation.TimeLimit, TimeLimitPolicy, TimeLimit> {

    private static final MeterFamily WORKERS = new MeterFamily(
            "resilience.timelimit.workers", "workers", "Worker threads of the time limit that are busy");

    private final boolean onVirtualThreads;

    /**
     * @param onVirtualThreads whether the application asks for virtual threads, and the JDK has them
     */
    public TimeLimitKind(boolean onVirtualThreads) {
        super("time-limit", dev.resilience.annotation.TimeLimit.class, "retry", TimeLimitPolicy.defaults());
        this.onVirtualThreads = onVirtualThreads;
    }

    private static final MeterFamily CALLS = new MeterFamily(
            "resilience.timelimit.calls", "calls", "Calls under a time limit by whether they ended in time");

    @Override
    public TimeLimit create(String name, TimeLimitPolicy policy, KindContext context) {
        return onVirtualThreads
                ? TimeLimit.onVirtualThreads(name, policy, context.environment())
                : new TimeLimit(name, policy, context.environment());
    }

    @Override
    protected Layer layer(TimeLimit limit, ProtectedMethod<dev.resilience.annotation.TimeLimit> method) {
        if (limit.policy().thread() == TimeLimitPolicy.RunsOn.WORKER && method.isTransactional()) {
            method.warnings()
                    .add(TRANSACTION_ON_WORKER.of("The method " + MethodNames.full(method.method(), method.type())
                            + " is @Transactional and runs on a worker thread of the time limit '" + limit.name()
                            + "': it takes no part in a transaction of its caller, and its own may still be committed "
                            + "or rolled back after the caller has got its exception"));
        }
        return limit;
    }

    @Override
    public Map<String, Object> state(TimeLimit limit) {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("workers", limit.workers());
        state.put("calls", limit.calls().byLabel());
        return state;
    }

    @Override
    public @Nullable String trouble(TimeLimit limit) {
        return limit.isFull() ? "is full: all of its worker threads are busy" : null;
    }

    @Override
    public List<Shown> shown() {
        return List.of(new Shown("calls", "calls", As.RATE), new Shown("busy workers", "workers", As.AMOUNT));
    }

    @Override
    public void meters(TimeLimit limit, Meters meters) {
        meters.gauge(WORKERS, limit, TimeLimit::workers);
        meters.outcomes(CALLS, limit.calls());
    }
}
