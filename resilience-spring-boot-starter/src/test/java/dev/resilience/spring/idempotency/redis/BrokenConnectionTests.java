package dev.resilience.spring.idempotency.redis;

import static dev.resilience.spring.idempotency.redis.Claims.LONG;
import static dev.resilience.spring.idempotency.redis.Claims.acquire;
import static dev.resilience.spring.idempotency.redis.Claims.assertCompleted;
import static dev.resilience.spring.idempotency.redis.Claims.request;
import static dev.resilience.spring.idempotency.redis.Claims.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.TcpProxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Commands that the driver sends again, and those that reach the server when their senders have given up. */
@Timeout(60)
class BrokenConnectionTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    /** Longer than a driver needs to connect again. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Duration IMPATIENCE = Duration.ofMillis(200);

    private TcpProxy proxy;
    private LettuceConnectionFactory connections;
    private IdempotencyStore direct;

    @BeforeEach
    void setUp() {
        direct = REDIS.emptyStore();
        proxy = new TcpProxy(REDIS.port());
    }

    @AfterEach
    void close() throws Exception {
        connections.destroy();
        proxy.close();
    }

    /** Of another instance of the application, on one connection through the proxy; the server knows the scripts. */
    private IdempotencyStore remote(Duration timeout) {
        connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", proxy.port()),
                TestRedis.impatient().commandTimeout(timeout).build());
        connections.afterPropertiesSet();
        IdempotencyStore remote = new RedisIdempotencyStore(connections, TestRedis.PREFIX, new StartupWarnings());
        LeaseToken completed = acquire(remote, "warm");
        remote.renew(completed, LONG);
        remote.complete(completed, result("warm"), LONG);
        remote.release(acquire(remote, "up"));
        return remote;
    }

    /** Sent when this returns, and held back. */
    private <T> CompletableFuture<T> held(Supplier<T> command) {
        int before = proxy.heldBack();
        CompletableFuture<T> answer = CompletableFuture.supplyAsync(command);
        await().until(() -> proxy.heldBack() > before);
        return answer;
    }

    private static <T> T answer(CompletableFuture<T> of) throws Exception {
        return of.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertGivesUp(CompletableFuture<?> sender) {
        assertThatThrownBy(() -> answer(sender)).hasStackTraceContaining("imed out");
    }

    @Test
    void aClaimWhoseAnswerIsLostIsItsOwners() {
        IdempotencyStore remote = remote(PATIENCE);

        proxy.loseAnswer();
        LeaseToken owner = acquire(remote, "key");

        assertThat(direct.claim(request("key", LONG, true))).isInstanceOf(Claim.InProgress.class);
        assertThat(remote.complete(owner, result("ok"), LONG)).isTrue();
        assertCompleted(direct, "key", result("ok"));
    }

    @Test
    void aResultWhoseAnswerIsLostIsStored() throws Exception {
        PlaceOrder order = new PlaceOrder(remote(PATIENCE));

        String result = order.call(() -> {
            proxy.loseAnswer();
            return "ok";
        });

        assertThat(result).isEqualTo("ok");
        assertThat(order.counted(IdempotencyOutcome.EXECUTED)).isEqualTo(1);
        assertThat(order.counted(IdempotencyOutcome.LEASE_LOST)).isZero();
        assertThat(order.call(() -> "again")).isEqualTo("ok");
    }

    @Test
    void aRenewalWhoseAnswerIsLostIsMade() {
        IdempotencyStore remote = remote(PATIENCE);
        LeaseToken owner = acquire(remote, "key");

        proxy.loseAnswer();

        assertThat(remote.renew(owner, LONG)).isTrue();
    }

    /** The connection was away for longer than the lease, and the owner is alive: its renewal is on the way. */
    @Test
    void aRenewalThatWaitsBehindAClaimKeepsTheKey() throws Exception {
        IdempotencyStore remote = remote(PATIENCE);
        Duration lease = Duration.ofMillis(300);
        LeaseToken owner = acquire(remote, request("key", lease, true));

        proxy.holdRequests();
        CompletableFuture<Claim> claim = held(() -> remote.claim(request("key", LONG, true)));
        CompletableFuture<Boolean> renewal = held(() -> remote.renew(owner, LONG));
        RedisStoreContract.pass(lease);
        proxy.passRequests();

        assertThat(answer(claim)).isInstanceOf(Claim.InProgress.class);
        assertThat(answer(renewal)).isTrue();
    }

    @Test
    void aClaimThatComesLateTakesOverNothing() throws Exception {
        IdempotencyStore remote = remote(IMPATIENCE);
        LeaseToken owner = acquire(direct, request("key", IMPATIENCE, true));

        proxy.holdRequests();
        CompletableFuture<Claim> late = held(() -> remote.claim(request("key", LONG, true)));
        assertGivesUp(late);
        RedisStoreContract.pass(IMPATIENCE);
        pass();

        assertThat(direct.complete(owner, result("ok"), LONG)).isTrue();
    }

    @Test
    void aClaimThatComesLateDoesNotReviveWhatItsOwnerHasReleased() throws Exception {
        IdempotencyStore remote = remote(IMPATIENCE);
        ClaimRequest request = request("key", LONG, false);

        proxy.holdRequests();
        CompletableFuture<Claim> late = held(() -> remote.claim(request));
        assertGivesUp(late);
        assertThat(direct.release(acquire(direct, request))).isTrue();
        pass();

        acquire(direct, "key");
    }

    @Test
    void aRenewalThatComesLateDoesNotReviveWhatItsOwnerHasReleased() throws Exception {
        IdempotencyStore remote = remote(IMPATIENCE);
        LeaseToken owner = acquire(direct, "key");

        proxy.holdRequests();
        CompletableFuture<Boolean> late = held(() -> remote.renew(owner, LONG));
        assertGivesUp(late);
        assertThat(direct.release(owner)).isTrue();
        pass();

        acquire(direct, "key");
    }

    @Test
    void aReleaseThatComesLateDoesNotFreeTheKeyOfTheNextOwner() throws Exception {
        IdempotencyStore remote = remote(IMPATIENCE);
        LeaseToken owner = acquire(direct, request("key", IMPATIENCE, true));

        proxy.holdRequests();
        CompletableFuture<Boolean> late = held(() -> remote.release(owner));
        assertGivesUp(late);
        RedisStoreContract.pass(IMPATIENCE);
        LeaseToken next = acquire(direct, request("key", LONG, true));
        pass();

        assertThat(direct.renew(next, LONG)).isTrue();
    }

    /** Returns when the server has had what was held back. */
    private void pass() {
        proxy.passRequests();
        await().ignoreExceptions().until(() -> connections.getConnection().ping(), "PONG"::equals);
    }
}
