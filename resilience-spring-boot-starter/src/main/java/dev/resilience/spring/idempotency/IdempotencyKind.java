package dev.resilience.spring.idempotency;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Layer;
import dev.resilience.spring.kind.Action;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.ProtectedMethod;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;

/** Idempotency: {@code @Idempotent} and {@code resilience.idempotency}. */
public final class IdempotencyKind extends ConfiguredKind<Idempotent, IdempotencyPolicy, Idempotency> {

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.idempotency.calls", "calls", "Calls of idempotent methods by how they ended");
    private static final MeterFamily WORKERS = new MeterFamily(
            "resilience.idempotency.workers",
            "workers",
            "Threads that run asynchronous calls which have waited for another call with their key");
    private static final MeterFamily QUEUED = new MeterFamily(
            "resilience.idempotency.queued",
            null,
            "Asynchronous calls that have waited for another call with their key, and now wait for a thread");

    public IdempotencyKind() {
        super("idempotency", Idempotent.class, "fallback", IdempotencyPolicy.defaults());
    }

    private static final MeterFamily MEMORY_USED = new MeterFamily(
            "resilience.idempotency.memory.used",
            null,
            "Bytes that records of idempotent calls hold in this process, about");
    private static final MeterFamily MEMORY_LIMIT = new MeterFamily(
            "resilience.idempotency.memory.limit",
            null,
            "Bytes that records of idempotent calls may hold in this process; beyond them calls with new keys are refused");

    @Override
    public String layerName() {
        return "idempotent";
    }

    @Override
    public boolean mayBeLeftOutOfOrder() {
        return false;
    }

    @Override
    public Idempotency create(String name, IdempotencyPolicy policy, KindContext context) {
        IdempotencyStore store = context.beans(IdempotencyStore.class).getObject();
        return new Idempotency(name, policy, store, context.ownTime(), context.events());
    }

    @Override
    public @Nullable Layer layer(ProtectedMethod<Idempotent> method) {
        return IdempotentLayer.make(this, method);
    }

    @Override
    public Map<String, Object> state(Idempotency idempotency) {
        return new LinkedHashMap<>(Map.of("calls", idempotency.calls().byLabel()));
    }

    @Override
    public void meters(Idempotency idempotency, Meters meters) {
        meters.outcomes(CALLS, idempotency.calls());
        meters.gauge(WORKERS, idempotency, Idempotency::workers);
        meters.gauge(QUEUED, idempotency, Idempotency::queued);
        if (idempotency.store() instanceof MemoryIdempotencyStore memory) { // one for all policies
            meters.ofAll().gauge(MEMORY_USED, memory, MemoryIdempotencyStore::bytes);
            meters.ofAll().gauge(MEMORY_LIMIT, memory, MemoryIdempotencyStore::maxBytes);
        }
    }

    @Override
    public List<String> actions() {
        return IdempotencyActions.ALL;
    }

    @Override
    public Map<String, Object> act(Idempotency idempotency, Action action) {
        return IdempotencyActions.act(idempotency, action);
    }

    @Override
    public void hints(
            Idempotent annotation, Method method, Class<?> type, ResolvableType result, ReflectionHints hints) {
        IdempotentMethodHints.register(annotation, method, type, result, hints);
    }

    @Override
    public void close(Idempotency idempotency) {
        idempotency.close();
    }
}
