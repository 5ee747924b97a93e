package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.idempotency.redis.Claims.LONG;
import static dev.resilience.spring.idempotency.redis.Claims.SHORT;
import static dev.resilience.spring.idempotency.redis.Claims.acquire;
import static dev.resilience.spring.idempotency.redis.Claims.assertCompleted;
import static dev.resilience.spring.idempotency.redis.Claims.key;
import static dev.resilience.spring.idempotency.redis.Claims.request;
import static dev.resilience.spring.idempotency.redis.Claims.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.StartupWarnings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.LongAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/** What is in Redis, how long, and where. */
class RecordsInRedisTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private static final Duration A_DAY = Duration.ofDays(1);

    private IdempotencyStore store;

    @BeforeEach
    void setUp() {
        store = REDIS.emptyStore();
    }

    @Nested
    class Keys {

        @Test
        void tellTheHashOfTheIdempotencyKeyAndOfTheRecord() {
            RecordKey key = key("order-1");
            acquire(store, "order-1");

            assertThat(REDIS.keys()).containsExactly("test:{" + key.keyHash() + "}:" + key.id());
            assertThat(key.keyHash() + key.id()).matches("[0-9a-f]{128}");
        }

        @Test
        void ofOneIdempotencyKeyAreInOneSlotOfACluster() {
            for (String operation : List.of("a", "b")) {
                for (String caller : List.of("", "alice", "bob")) {
                    store.claim(
                            new ClaimRequest(RecordKey.of(operation, caller, "key"), caller, "", LONG, LONG, false));
                }
            }

            assertThat(REDIS.keys())
                    .hasSize(6)
                    .extracting(ClusterSlotHashUtil::calculateSlot)
                    .containsOnly(
                            ClusterSlotHashUtil.calculateSlot("{" + key("key").keyHash() + "}"));
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "any*:", "a?[b-c]\\\\d^:", "ünï:"})
        void beginWithAnyPrefixAndAreFoundByIt(String prefix) {
            store = new RedisIdempotencyStore(REDIS.connections(), prefix, new StartupWarnings());
            acquire(store, "key");
            acquire(REDIS.store(), "key");
            acquire(new RedisIdempotencyStore(REDIS.connections(), "anything:", new StartupWarnings()), "key");

            assertThat(REDIS.keys()).hasSize(3).anyMatch(key -> key.startsWith(prefix + "{"));
            assertThat(store.find(new RecordSelection("key", Set.of("operation"), null)))
                    .hasSize(1);
        }
    }

    @Nested
    class Contents {

        @Test
        void areTextAndTheBytesOfTheResult() {
            byte[] content = new byte[256 * 1024];
            new Random(1).nextBytes(content);
            LeaseToken owner = acquire(store, "key");
            store.complete(owner, new StoredResult(StoredResult.Kind.VALUE, content), LONG);

            Map<String, byte[]> record = record("key");
            assertThat(record.remove("content")).isEqualTo(content);
            Map<String, String> texts = new HashMap<>();
            record.forEach((field, bytes) -> texts.put(field, new String(bytes, StandardCharsets.UTF_8)));
            assertThat(texts)
                    .isEqualTo(Map.of(
                            "state", "COMPLETED",
                            "operation", "operation",
                            "caller", key("key").callerHash(),
                            "fingerprint", "fingerprint",
                            "fence", String.valueOf(owner.fence()),
                            "owner", owner.owner(),
                            "kind", "VALUE"));
        }

        @Test
        void neverTellTheKey() {
            acquire(store, "secret");

            assertThat(REDIS.keys()).noneMatch(key -> key.contains("secret"));
            assertThat(record("secret").values())
                    .noneMatch(value -> new String(value, StandardCharsets.UTF_8).contains("secret"));
        }

        private static Map<String, byte[]> record(String key) {
            Map<String, byte[]> record = new HashMap<>();
            REDIS.onConnection(connection -> connection.hashCommands().hGetAll(redisKey(key)))
                    .forEach((field, value) -> record.put(new String(field, StandardCharsets.UTF_8), value));
            return record;
        }
    }

    @Nested
    class LifeTimes {

        @Test
        void ofResultsAreTheirTimeToLive() {
            store.complete(acquire(store, request("key", LONG, true)), result("ok"), Duration.ofDays(400));

            assertLeft("key").isBetween(millis(Duration.ofDays(400)) - 60_000, millis(Duration.ofDays(400)));
        }

        @Test
        void ofRecordsThatMayBeTakenOverAreTheirLeaseAndADay() {
            LeaseToken owner = acquire(store, request("key", Duration.ofSeconds(1), true));
            assertLeft("key").isBetween(millis(A_DAY) - 60_000, millis(A_DAY) + 1_000);

            store.renew(owner, LONG);

            assertLeft("key").isBetween(millis(A_DAY.plus(LONG)) - 60_000, millis(A_DAY.plus(LONG)));
        }

        @Test
        void ofRecordsThatNobodyMayTakeOverDoNotEnd() {
            LeaseToken owner = acquire(store, request("key", SHORT, false));
            assertLeft("key").isEqualTo(-1);
            store.renew(owner, SHORT);
            assertLeft("key").isEqualTo(-1);

            RedisStoreContract.pass(SHORT);

            assertThat(store.claim(request("key", LONG, false))).isInstanceOf(Claim.Abandoned.class);
            assertLeft("key").isEqualTo(-1);
        }

        @Test
        void areDecidedByWhoClaimedWhileTakingOverIsDecidedByWhoClaims() {
            acquire(store, request("careful", SHORT, false));
            acquire(store, request("careless", SHORT, true));
            RedisStoreContract.pass(SHORT);

            assertThat(store.claim(request("careless", LONG, false))).isInstanceOf(Claim.Abandoned.class);
            assertLeft("careless").isBetween(0L, millis(A_DAY));
            acquire(store, request("careful", LONG, true));
            assertLeft("careful").isBetween(millis(A_DAY), millis(A_DAY.plus(LONG)));
        }

        @Test
        void endWithAKeyThatIsReleasedAndClaimedByACarefulOne() {
            store.release(acquire(store, request("key", LONG, true)));

            acquire(store, request("key", LONG, false));

            assertLeft("key").isEqualTo(-1);
        }

        @Test
        void ofRecordsResolvedAsExecutedDoNotEnd() {
            acquire(store, request("key", SHORT, true));
            RedisStoreContract.pass(SHORT);

            store.resolve(new RecordSelection("key", Set.of("operation"), "caller"), true);

            assertLeft("key").isEqualTo(-1);
        }

        @Test
        void mayBeAsLongAsADurationCanBe() {
            Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
            LeaseToken owner = acquire(store, request("key", forever, true));
            assertThat(store.renew(owner, forever)).isTrue();
            assertThat(store.complete(owner, result("ok"), forever)).isTrue();

            assertCompleted(store, "key", result("ok"));
        }

        private static LongAssert assertLeft(String key) {
            return (LongAssert) assertThat(
                    REDIS.onConnection(connection -> connection.keyCommands().pTtl(redisKey(key)))
                            .longValue());
        }

        private static long millis(Duration duration) {
            return duration.toMillis();
        }
    }

    @Nested
    class Fences {

        @Test
        void growWhateverBecameOfTheRecord() {
            RecordSelection selection = new RecordSelection("key", Set.of("operation"), null);
            List<Long> fences = new ArrayList<>();
            LeaseToken released = acquire(store, "key");
            fences.add(released.fence());
            store.release(released);
            LeaseToken deleted = acquire(store, "key");
            fences.add(deleted.fence());
            store.complete(deleted, result("ok"), LONG);
            store.delete(selection);
            fences.add(acquire(store, "key").fence());
            REDIS.flush();
            fences.add(acquire(store, "key").fence());

            assertThat(fences).isSorted().doesNotHaveDuplicates();
        }

        @Test
        void growThoughTheServersClockWasSetBack() {
            long future = acquire(store, request("key", SHORT, true)).fence() + 1_000_000_000_000L;
            REDIS.onConnection(connection ->
                    connection.hashCommands().hSet(redisKey("key"), bytes("fence"), bytes(String.valueOf(future))));
            RedisStoreContract.pass(SHORT);

            assertThat(acquire(store, request("key", LONG, true)).fence()).isEqualTo(future + 1);
        }
    }

    /** As drivers do with a command whose answer was lost with the connection. */
    @Test
    void aClaimThatIsSentTwiceIsItsOwnersClaim() {
        ClaimRequest request = request("key", LONG, false);
        LeaseToken first = acquire(store, request);
        LeaseToken second = acquire(store, request);

        assertThat(second).isEqualTo(first);
        assertThat(store.claim(request("key", LONG, false))).isInstanceOf(Claim.InProgress.class);
        assertThat(store.complete(second, result("ok"), LONG)).isTrue();
    }

    private static byte[] redisKey(String key) {
        return bytes(new RedisKeys(TestRedis.PREFIX).of(key(key)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
