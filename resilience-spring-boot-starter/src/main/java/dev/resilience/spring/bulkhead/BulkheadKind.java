package dev.resilience.spring.bulkhead;

import static dev.resilience.spring.WarningId.QUEUE_TOO_LONG;
import static dev.resilience.spring.WarningId.TRANSACTION_ON_WORKER;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.event.CallQueued;
import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.Layer;
import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Bulkheads: {@code @Bulkhead} and {@code resilience.bulkhead}. */
public final class BulkheadKind extends ConfiguredKind<dev.resilience.annotation.Bulkhead, BulkheadPolicy, Bulkhead> {

    private static final MeterFamily RUNNING = new MeterFamily(
            "resilience.bulkhead.running", null, "Calls that hold a permit of the bulkhead at this moment");
    private static final MeterFamily QUEUED = new MeterFamily(
            "resilience.bulkhead.queued", null, "Calls that wait for a permit of the bulkhead at this moment");
    private static final MeterFamily LIMIT = new MeterFamily(
            "resilience.bulkhead.limit",
            null,
            "Calls that the bulkhead lets run at the same time, if that is one number");
    private static final MeterFamily CALLS =
            new MeterFamily("resilience.bulkhead.calls", "calls", "Calls to the bulkhead by how they were received");
    private static final MeterFamily WAIT = new MeterFamily(
            "resilience.bulkhead.wait", null, "Time that calls have waited for a permit of the bulkhead");

    private static final MeterFamily KEYS =
            new MeterFamily("resilience.bulkhead.keys", null, "Keys that have a bulkhead of their own");

    public BulkheadKind() {
        super("bulkhead", dev.resilience.annotation.Bulkhead.class, "idempotent", BulkheadPolicy.defaults());
    }

    @Override
    public Bulkhead create(String name, BulkheadPolicy policy, KindContext context) {
        return new Bulkhead(name, policy, context.environment());
    }

    @Override
    public @Nullable String withoutEffect(String key, BulkheadPolicy policy) {
        return switch (key) {
            case "queue-timeout" -> because(policy.maxQueue() == 0, "max-queue is 0");
            case "min-concurrent" -> because(policy.type() != BulkheadPolicy.Type.ADAPTIVE, "type is not adaptive");
            default -> null;
        };
    }

    @Override
    protected Layer layer(Bulkhead bulkhead, ProtectedMethod<dev.resilience.annotation.Bulkhead> method) {
        if (bulkhead.policy().type() == BulkheadPolicy.Type.THREAD_POOL && method.isTransactional()) {
            method.warnings()
                    .add(TRANSACTION_ON_WORKER.of("The method " + MethodNames.full(method.method(), method.type())
                            + " is @Transactional and runs on a thread of the bulkhead '" + bulkhead.name()
                            + "': it takes no part in a transaction of its caller"));
        }
        return bulkhead;
    }

    /** By Little's law: what is served in {@code queue-timeout} is that time times the permits, divided by the duration of a call. */
    @Override
    public void checkAtWork(Bulkhead bulkhead, StartupWarnings warnings) {
        BulkheadPolicy policy = bulkhead.policy();
        Duration call = bulkhead.measuredDuration();
        if (call == null || call.isZero()) {
            return;
        }
        double served = (double) Durations.toNanos(policy.queueTimeout()) / call.toNanos() * bulkhead.limit();
        if (policy.maxQueue() > served) {
            String text = "'" + PropertyNames.of(prefix(), bulkhead.name()) + ".max-queue' is " + policy.maxQueue()
                    + ", but in 'queue-timeout' only " + (long) served + " calls get one of its "
                    + bulkhead.limit() + " permits, because a call takes " + Durations.inWords(call)
                    + ", as measured: the others wait in vain. Make the queue shorter, or raise 'max-concurrent'";
            warnings.addOnce(bulkhead.name(), QUEUE_TOO_LONG.of(text));
        }
    }

    @Override
    public Map<String, Object> state(Bulkhead bulkhead) {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("running", bulkhead.running());
        state.put("queued", bulkhead.queued());
        if (bulkhead.hasOneLimit()) {
            state.put("limit", bulkhead.limit());
        }
        state.put("queueLimit", bulkhead.policy().maxQueue());
        if (!bulkhead.isPart()) {
            state.put("calls", bulkhead.calls().byLabel());
        }
        return state;
    }

    @Override
    public @Nullable String trouble(Bulkhead bulkhead) {
        String full = "is full: " + bulkhead.limit() + " calls run and "
                + bulkhead.policy().maxQueue() + " wait";
        return bulkhead.isFull() ? full : null;
    }

    @Override
    public List<Shown> shown() {
        return List.of(
                new Shown("running", "running", As.LEVEL, "limit"),
                new Shown("waiting", "queued", As.LEVEL, "queueLimit"),
                new Shown("calls", "calls", As.RATE));
    }

    @Override
    public void meters(Bulkhead bulkhead, Meters meters) {
        meters.gauge(RUNNING, bulkhead, Bulkhead::running);
        meters.gauge(QUEUED, bulkhead, Bulkhead::queued);
        meters.gauge(LIMIT, bulkhead, b -> b.hasOneLimit() ? b.limit() : Double.NaN);
        meters.outcomes(CALLS, bulkhead.calls());
        if (bulkhead.keys() != null) {
            meters.gauge(KEYS, bulkhead.keys(), KeyedObjects::size);
        }
        meters.timer(WAIT, CallQueued.class, CallQueued::waited);
    }

    @Override
    public void stopWaits(Bulkhead bulkhead) {
        bulkhead.stopWaits();
    }

    @Override
    public void resumeWaits(Bulkhead bulkhead) {
        bulkhead.resume();
    }

    @Override
    public boolean isAtWork(Bulkhead bulkhead) {
        return bulkhead.poolHasWork();
    }

    @Override
    public void stopRunning(Bulkhead bulkhead) {
        bulkhead.stopPool();
    }
}
