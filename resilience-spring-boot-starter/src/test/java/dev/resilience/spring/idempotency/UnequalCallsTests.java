package dev.resilience.spring.idempotency;

import static dev.resilience.spring.idempotency.Payments.order;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.spring.idempotency.IdempotentApplication.ContextConsumer;
import dev.resilience.spring.idempotency.Payments.Charge;
import dev.resilience.spring.idempotency.Payments.Money;
import dev.resilience.spring.idempotency.Payments.Order;
import dev.resilience.spring.idempotency.Payments.Pay;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What counts as another call, under one key or in another method. */
class UnequalCallsTests {

    @Test
    void forAnotherArgumentThatIsNotInTheKey() {
        assertRefused(
                payments -> payments.pay("k", order(), List.of("a", "b")),
                payments -> payments.pay("k", order(), List.of("b", "a")));
    }

    @Test
    void forAnotherElementInASet() {
        assertRefused(
                payments -> payments.payMap("k", Map.of("items", Set.of("a", "b"))),
                payments -> payments.payMap("k", Map.of("items", Set.of("a", "c"))));
    }

    @Test
    void forOneOtherFieldDeepInside() {
        assertRefused(
                payments -> payments.pay("k", order(), List.of()),
                payments -> payments.pay(
                        "k",
                        new Order(new Money(new BigDecimal("10.51"), "EUR"), Instant.EPOCH, Optional.empty()),
                        List.of()));
    }

    @Test
    void forAnElementThatHasMoreThanItsDeclaredType() {
        assertRefused(
                payments -> payments.runAll("k", List.of(new Pay("1"))),
                payments -> payments.runAll("k", List.of(new Pay("2"))));
    }

    @Test
    void forAnotherPropertyThatNoAnswerShows() {
        assertRefused(
                payments -> payments.charge("k", new Charge(10, "4000 0000 0000 0001")),
                payments -> payments.charge("k", new Charge(10, "4000 0000 0000 0002")));
    }

    @Test
    void forAnotherTextNumberOrTruth() {
        ContextConsumer<Payments> first = payments -> payments.transfer("k", "a", "bc", 1L, true);

        assertRefused(first, payments -> payments.transfer("k", "ab", "c", 1L, true));
        assertRefused(first, payments -> payments.transfer("k", "a", "bd", 1L, true));
        assertRefused(first, payments -> payments.transfer("k", "a", "", 1L, true));
        assertRefused(first, payments -> payments.transfer("k", "a", null, 1L, true));
        assertRefused(first, payments -> payments.transfer("k", null, "bc", 1L, true));
        assertRefused(first, payments -> payments.transfer("k", "a", "bc", 1L + (1L << 32), true));
        assertRefused(first, payments -> payments.transfer("k", "a", "bc", 1L, false));
        assertRefused(first, payments -> payments.transfer("k", "a", "bc", 1L, null));
    }

    @Test
    void forNull() {
        assertRefused(payments -> payments.payMap("k", Map.of()), payments -> payments.payMap("k", null));
    }

    @Test
    void andIsRefusedWhileTheFirstOneRuns() {
        IdempotentApplication.with(Payments.class, payments -> {
            CompletableFuture<Integer> running = payments.payLater("k", List.of("a"));
            assertThat(payments.payLater("k", List.of("b")))
                    .failsWithin(java.time.Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(IdempotencyKeyReusedException.class);
            payments.pending().complete(1);
            assertThat(running.join()).isEqualTo(1);
        });
    }

    private void assertRefused(ContextConsumer<Payments> first, ContextConsumer<Payments> second) {
        IdempotentApplication.with(Payments.class, payments -> {
            first.accept(payments);
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> second.accept(payments))
                    .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain("'k'"));
            assertThat(payments.calls()).hasValue(1);
        });
    }

    @Test
    void argumentsThatCannotBeComparedAreRefusedBeforeTheStoreIsAsked() {
        IdempotentApplication.runner()
                .withBean(AskedStore.class)
                .withBean(Payments.class)
                .run(context -> {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> context.getBean(Payments.class).payMap("k", Map.of("a", new Thread())))
                            .withMessageContaining("Payments.payMap(")
                            .withMessageContaining("'fingerprint: false'");
                    assertThat(context.getBean(AskedStore.class).claims()).isZero();
                });
    }

    @Test
    void codeBehindAnInterfaceIsRefused() {
        Supplier<String> lambda = () -> "k";
        assertUnseen(payments -> payments.runAny("k", lambda), "is code and no value");
        assertUnseen(payments -> payments.runNamed("k", new Payments.Callback(() -> "stop")), "is code and no value");
    }

    private void assertUnseen(ContextConsumer<Payments> call, String why) {
        IdempotentApplication.with(Payments.class, payments -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> call.accept(payments))
                    .withMessageContaining("'fingerprint: false'")
                    .withStackTraceContaining(why);
            assertThat(payments.calls()).hasValue(0);
        });
    }

    /** One key in two methods is two keys. */
    @Test
    void anotherMethodHasKeysOfItsOwn() {
        IdempotentApplication.with(Payments.class, payments -> {
            payments.pay("k", order(), List.of());
            payments.payMap("k", Map.of());
            payments.payMap("k", Map.of(), 1);
            assertThat(payments.calls()).hasValue(3);
        });
    }
}
