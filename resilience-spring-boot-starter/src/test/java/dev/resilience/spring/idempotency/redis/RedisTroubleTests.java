package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.idempotency.redis.Claims.LONG;
import static dev.resilience.spring.idempotency.redis.Claims.acquire;
import static dev.resilience.spring.idempotency.redis.Claims.assertCompleted;
import static dev.resilience.spring.idempotency.redis.Claims.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Servers that forget, die and come back; clocks that are wrong. */
class RedisTroubleTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private final AtomicInteger executions = new AtomicInteger();
    private IdempotencyStore store;
    private PlaceOrder order;

    @BeforeEach
    void setUp() {
        store = REDIS.emptyStore();
        order = new PlaceOrder(store);
    }

    private String execute() {
        return "executed " + executions.incrementAndGet();
    }

    @Test
    void scriptsThatTheServerForgetsAreSentAgain() {
        RecordSelection selection = new RecordSelection("key", Set.of("operation"), null);
        REDIS.forgetScripts();
        LeaseToken owner = acquire(store, "key");
        REDIS.forgetScripts();
        assertThat(store.renew(owner, LONG)).isTrue();
        REDIS.forgetScripts();
        assertThat(store.find(selection)).hasSize(1);
        REDIS.forgetScripts();
        assertThat(store.complete(owner, result("ok"), LONG)).isTrue();
        REDIS.forgetScripts();
        assertCompleted(store, "key", result("ok"));
        REDIS.forgetScripts();
        assertThat(store.delete(selection)).isEqualTo(1);
        REDIS.forgetScripts();
        assertThat(store.release(acquire(store, "key"))).isTrue();
    }

    @Test
    void anOwnerWhoseRecordIsGoneHasLostItsLease() {
        LeaseToken owner = acquire(store, "key");

        REDIS.flush();

        assertThat(store.renew(owner, LONG)).isFalse();
        assertThat(store.complete(owner, result("ok"), LONG)).isFalse();
        assertThat(store.release(owner)).isFalse();
    }

    @Test
    void aCallWhoseRecordIsGoneHasItsResultAndALostLease() throws Exception {
        String result = order.call(() -> {
            REDIS.flush();
            return execute();
        });

        assertThat(result).isEqualTo("executed 1");
        assertThat(order.counted(IdempotencyOutcome.LEASE_LOST)).isEqualTo(1);
        assertThat(order.call(this::execute)).isEqualTo("executed 2");
    }

    @Test
    void aServerThatIsFullRefusesWholeStepsAndReplays() {
        store.complete(acquire(store, "completed"), result("ok"), LONG);
        LeaseToken owner = acquire(store, "in progress");
        REDIS.setMaxMemory("1");
        try {
            assertThatThrownBy(() -> acquire(store, "new")).hasStackTraceContaining("OOM command not allowed");
            assertThatThrownBy(() -> store.renew(owner, LONG)).hasStackTraceContaining("OOM command not allowed");
            assertThatThrownBy(() -> store.complete(owner, result("ok"), LONG))
                    .hasStackTraceContaining("OOM command not allowed");
            assertCompleted(store, "completed", result("ok"));
        } finally {
            REDIS.setMaxMemory("0");
        }
        assertThat(store.complete(owner, result("ok"), LONG)).isTrue();
        acquire(store, "new");
    }

    @Test
    void aServerThatIsBackIsUsedAgain() throws Exception {
        // by this clock the refused call does not come back a second later to free its key, on which other tests call
        PlaceOrder order = new PlaceOrder(store, new ManualTimeSource());
        REDIS.stop();
        assertThatThrownBy(() -> order.call(this::execute)).isInstanceOf(IdempotencyStoreException.class);
        REDIS.start();
        REDIS.awaitConnection();

        assertThat(order.call(this::execute)).isEqualTo("executed 1");
        assertThat(order.call(this::execute)).isEqualTo("executed 1");
    }

    @Test
    void theClocksOfApplicationsChangeNothing() throws Exception {
        Instant now = Instant.now();
        PlaceOrder slow = new PlaceOrder(store, new ManualTimeSource(now.minus(Duration.ofHours(1))));
        PlaceOrder fast = new PlaceOrder(store, new ManualTimeSource(now.plus(Duration.ofHours(1))));

        String result = slow.call(() -> {
            assertThatExceptionOfType(IdempotencyInProgressException.class)
                    .isThrownBy(() -> fast.call(this::execute))
                    .satisfies(refused ->
                            assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30)));
            return execute();
        });

        assertThat(fast.call(this::execute)).isEqualTo(result);
        assertThat(order.call(this::execute)).isEqualTo(result);
        assertThat(executions).hasValue(1);
    }

    /** In it every command would be put off until the transaction ends, and nobody could say who has the key. */
    @Test
    void aTransactionOfRedisOnTheSameThreadIsNotJoined() {
        StringRedisTemplate template = new StringRedisTemplate(REDIS.connections());
        template.execute(new InTransaction(() -> {
            assertThat(store.complete(acquire(store, "key"), result("ok"), LONG))
                    .isTrue();
            assertCompleted(store, "key", result("ok"));
        }));

        assertCompleted(store, "key", result("ok"));
    }
}
