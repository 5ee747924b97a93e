package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.IdempotencyOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Wherever an application puts the advice of its transactions: effect and record commit together. */
@ParameterizedClass
@ValueSource(
        classes = {
            TransactionOrderTests.Outermost.class,
            TransactionOrderTests.FurtherOut.class,
            TransactionOrderTests.Beside.class,
            TransactionOrderTests.FurtherIn.class,
            TransactionOrderTests.Usual.class
        })
class TransactionOrderTests {

    private final Class<?> order;

    TransactionOrderTests(Class<?> order) {
        this.order = order;
    }

    private void with(TestShop.Use use) {
        TestShop.with(Databases.H2, pool -> {}, runner -> runner.withUserConfiguration(order), use);
    }

    @Test
    void bothAreCommittedTogether() {
        with(shop -> {
            List<String> states = new ArrayList<>();
            shop.beforeCommit(() -> states.add(shop.stateInside() + " inside, " + shop.stateOutside() + " outside"));

            assertThat(shop.orders().place("k")).isEqualTo("order 1");

            assertThat(states).containsExactly("C inside, R outside");
            assertThat(shop.stateOutside()).isEqualTo("C");
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    @Test
    void neitherIsCommittedAlone() {
        with(TestShop::assertCommitsNeither);
    }

    @Test
    void anOwnerThatWasReplacedIsRolledBack() {
        with(TestShop::assertRollsBackAReplacedOwner);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.HIGHEST_PRECEDENCE)
    static class Outermost {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class FurtherOut {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 100)
    static class Beside {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 50)
    static class FurtherIn {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Usual {}
}
