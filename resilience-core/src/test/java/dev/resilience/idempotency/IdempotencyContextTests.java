package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.context.IdempotencyContext;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ANSWERED_LATER") // when the body has returned already
class IdempotencyContextTests {

    private final CallMode way;
    private final TestIdempotency calls;

    IdempotencyContextTests(CallMode way) {
        this.way = way;
        this.calls = new TestIdempotency(way);
    }

    private IdempotencyContext context(TextOperation operation, String key) {
        List<IdempotencyContext> seen = new ArrayList<>();
        assertThat(catchThrowable(() -> calls.call(operation, key, "payload", () -> {
                    seen.add(Objects.requireNonNull(IdempotencyContext.current()));
                    throw new IllegalStateException("so that the next call runs, too");
                })))
                .isInstanceOf(IllegalStateException.class);
        return seen.get(0);
    }

    @Test
    void theKeyForOthersIsTheSameInEveryProcess() {
        String key = context(calls.operation, "key").downstreamKey();

        assertThat(key).matches("[0-9a-f]{64}");
        assertThat(context(calls.operation, "key").downstreamKey()).isEqualTo(key);
        assertThat(new IdempotencyContextTests(way)
                        .context(calls.operation, "key")
                        .downstreamKey())
                .isEqualTo(key);
        assertThat(RecordKey.of(TextOperation.NAME, "", "key").id()).isNotEqualTo(key);
    }

    @Test
    void aCallPassesItsKeyOnAndANewOneWhereItHasNone() throws Throwable {
        List<String> keys = new ArrayList<>();
        calls.call("key", "payload", () -> {
            keys.add(IdempotencyContext.downstreamKeyOrNew());
            callInside(calls, null, keys, IdempotencyContext::downstreamKeyOrNew);
            callInside(calls, null, keys, IdempotencyContext::downstreamKeyOrNew);
            keys.add(IdempotencyContext.downstreamKeyOrNew());
            return "result";
        });
        keys.add(IdempotencyContext.downstreamKeyOrNew());

        String ofCall = RecordKey.of(TextOperation.NAME, "", "key").downstreamKey("");
        assertThat(keys.get(0)).isEqualTo(ofCall).isEqualTo(keys.get(3));
        assertThat(Set.copyOf(keys)).as("three that are new, and one").hasSize(4);
    }

    @Test
    void everyCallHasItsOwn() {
        Set<String> keys = new HashSet<>();
        for (TextOperation operation : List.of(
                calls.operation, new TextOperation("another", ""), new TextOperation(TextOperation.NAME, "alice"))) {
            for (String key : List.of("key", "Key")) {
                keys.add(context(operation, key).downstreamKey());
                keys.add(context(operation, key).downstreamKey("refund"));
                keys.add(context(operation, key).downstreamKey("capture"));
            }
        }

        assertThat(keys).hasSize(3 * 2 * 3);
    }

    @Test
    void theFenceGrowsWithEveryClaim() {
        long first = context(calls.operation, "key").fence();

        assertThat(context(calls.operation, "key").fence()).isGreaterThan(first);
    }

    @Test
    void thereIsNoneOutsideOfACallNorAfterIt() throws Throwable {
        assertThat(IdempotencyContext.current()).isNull();

        calls.call("result");

        assertThat(IdempotencyContext.current()).isNull();
    }

    @Test
    void anInnerCallHasItsOwnAndTheOuterOneGetsItsBack() throws Throwable {
        List<String> keys = new ArrayList<>();
        calls.call("key", "payload", () -> {
            keys.add(downstreamKey());
            keys.add(context(calls.operation, "inner").downstreamKey());
            keys.add(downstreamKey());
            return "result";
        });

        assertThat(keys.get(0)).isEqualTo(keys.get(2)).isNotEqualTo(keys.get(1));
    }

    /** Otherwise a service that is called twice takes the second call for a repetition of the first. */
    @Test
    void anInnerCallWithoutAKeyHasNone() throws Throwable {
        assertThat(seenInside(calls, null)).isNull();
    }

    @Test
    void anInnerCallThatRunsUnprotectedBecauseTheStoreIsDownHasNone() throws Throwable {
        TestIdempotency open = new TestIdempotency(
                way,
                IdempotencyPolicy.builder()
                        .onStoreFailure(OnStoreFailure.FAIL_OPEN)
                        .build());
        open.store.goDown();

        assertThat(seenInside(open, "inner")).isNull();
    }

    private @Nullable IdempotencyContext seenInside(TestIdempotency inner, @Nullable String key) throws Throwable {
        List<@Nullable IdempotencyContext> seen = new ArrayList<>();
        calls.call("key", "payload", () -> {
            seen.add(IdempotencyContext.current());
            callInside(inner, key, seen, IdempotencyContext::current);
            seen.add(IdempotencyContext.current());
            return "result";
        });

        assertThat(seen).hasSize(3);
        assertThat(seen.get(2)).isSameAs(seen.get(0)).isNotNull();
        return seen.get(1);
    }

    private static <T extends @Nullable Object> void callInside(
            TestIdempotency inner, @Nullable String key, List<T> seen, Supplier<T> look) {
        try {
            inner.call(key, "payload", () -> seen.add(look.get()));
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    @Test
    void itGoesAlongToOtherThreads() throws Throwable {
        Bulkhead pool = Resilience.create()
                .bulkhead(
                        "pool",
                        BulkheadPolicy.builder()
                                .type(BulkheadPolicy.Type.THREAD_POOL)
                                .build());
        Pipeline pipeline = Pipeline.of(calls.idempotency.protecting(calls.operation), pool);
        Callable<String> body = () -> Thread.currentThread().getName() + " " + downstreamKey();
        Callable<CompletableFuture<String>> later = () -> CompletableFuture.completedFuture(body.call());
        String expected = RecordKey.of(TextOperation.NAME, "", "key").downstreamKey("");
        Object answer = way == CallMode.BLOCKING
                ? pipeline.invoke(TestIdempotency.invocation("key", "payload", body))
                : pipeline.invokeAsync(TestIdempotency.invocation("key", "payload", later))
                        .get(30, TimeUnit.SECONDS);

        assertThat(answer).asString().startsWith("resilience-bulkhead-pool").endsWith(expected);
    }

    private static String downstreamKey() {
        return Objects.requireNonNull(IdempotencyContext.current()).downstreamKey();
    }
}
