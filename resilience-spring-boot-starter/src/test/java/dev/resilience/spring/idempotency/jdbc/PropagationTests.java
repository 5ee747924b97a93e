package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Every propagation of a method, in every end of its caller's transaction. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class PropagationTests {

    private final Databases database;

    PropagationTests(Databases database) {
        this.database = database;
    }

    /** How the caller's transaction ends. */
    private enum End {
        COMMIT,
        /** To a savepoint before the call, and a commit then. */
        ROLLBACK_TO_SAVEPOINT,
        ROLLBACK
    }

    private interface Check {

        void of(SoftAssertions softly, TestShop shop, Propagation propagation, End end);
    }

    private void inEveryWay(Check check) {
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withBean(Payments.class)
                        .withPropertyValues(
                                "resilience.idempotency.default.replay-exceptions=" + Declined.class.getName()),
                shop -> SoftAssertions.assertSoftly(softly -> {
                    for (Propagation propagation : Propagation.values()) {
                        for (End end : End.values()) {
                            check.of(softly, shop, propagation, end);
                        }
                    }
                }));
    }

    private static void callWithin(TestShop shop, Propagation propagation, End end, Runnable call) {
        if (propagation == Propagation.NEVER) {
            call.run();
            return;
        }
        TransactionTemplate nested = new TransactionTemplate(shop.transactions());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        Throwable unused = catchThrowable(() -> shop.transaction().executeWithoutResult(outer -> {
            if (end == End.ROLLBACK_TO_SAVEPOINT) {
                nested.executeWithoutResult(inner -> {
                    call.run();
                    inner.setRollbackOnly();
                });
            } else {
                call.run();
            }
            if (end == End.ROLLBACK) {
                outer.setRollbackOnly();
            }
        }));
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> Objects.equals(
                        0,
                        shop.outside()
                                .queryForObject(
                                        "SELECT count(*) FROM " + JdbcIdempotencyStore.DEFAULT_TABLE
                                                + " WHERE state = 'R'",
                                        Integer.class)));
    }

    private static boolean joins(Propagation propagation) {
        return switch (propagation) {
            case REQUIRED, SUPPORTS, MANDATORY, NESTED -> true;
            case REQUIRES_NEW, NOT_SUPPORTED, NEVER -> false;
        };
    }

    @Test
    void aResultIsKeptIfAndOnlyIfItsEffectIs() {
        inEveryWay((softly, shop, propagation, end) -> {
            Payments payments = shop.beans().getBean(Payments.class);
            String key = propagation + " " + end;
            boolean isKept = !joins(propagation) || end == End.COMMIT;

            callWithin(shop, propagation, end, () -> pay(payments, propagation, key, false));

            softly.assertThat(effects(shop, key)).as("effects, %s", key).isEqualTo(isKept ? 1 : 0);
            callWithin(shop, propagation, End.COMMIT, () -> pay(payments, propagation, key, false));
            softly.assertThat(effects(shop, key)).as("effects, %s, again", key).isEqualTo(1);
            softly.assertThat(payments.runs()).as("runs, %s", key).isEqualTo(isKept ? 1 : 2);
        });
    }

    /** It has no effect in a transaction. What it joins may take it back. */
    @Test
    void aFinalExceptionIsKeptUnlessTheCallersTransactionIsRolledBack() {
        inEveryWay((softly, shop, propagation, end) -> {
            Payments payments = shop.beans().getBean(Payments.class);
            String key = propagation + " " + end;
            boolean marksItsCallers = joins(propagation) && propagation != Propagation.NESTED;
            boolean isRolledBack = end == End.ROLLBACK || (end == End.COMMIT && marksItsCallers);
            boolean isKept = !joins(propagation) || !isRolledBack;

            callWithin(shop, propagation, end, () -> {
                Throwable ignored = catchThrowable(() -> pay(payments, propagation, key, true));
            });

            @Nullable Throwable[] again = new Throwable[1];
            callWithin(
                    shop,
                    propagation,
                    End.ROLLBACK_TO_SAVEPOINT,
                    () -> again[0] = catchThrowable(() -> pay(payments, propagation, key, true)));
            softly.assertThat(again[0]).as("again, %s", key).isInstanceOf(Declined.class);
            softly.assertThat(payments.runs()).as("runs, %s", key).isEqualTo(isKept ? 1 : 2);
        });
    }

    /** The body has returned, and advice inside the nested transaction has thrown: only its savepoint is rolled back. */
    @Test
    void aFinalExceptionIsKeptThoughAResultWasWrittenBeforeItAndRolledBack() {
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withBean(Payments.class)
                        .withUserConfiguration(Declining.class)
                        .withPropertyValues(
                                "resilience.idempotency.default.replay-exceptions=" + Declined.class.getName()),
                shop -> {
                    Payments payments = shop.beans().getBean(Payments.class);
                    for (int i = 0; i < 2; i++) {
                        shop.transaction()
                                .executeWithoutResult(status -> assertThatExceptionOfType(Declined.class)
                                        .isThrownBy(() -> payments.nested("declined", false)));
                    }

                    assertThat(payments.runs()).isEqualTo(1);
                    shop.assertEffects(0);
                    shop.awaitCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 20)
    static class Declining {

        @Bean
        static DefaultPointcutAdvisor afterTheBody() {
            StaticMethodMatcherPointcut nested = new StaticMethodMatcherPointcut() {
                @Override
                public boolean matches(Method method, Class<?> type) {
                    return method.getName().equals("nested");
                }
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(nested, (MethodInterceptor) invocation -> {
                Object unused = invocation.proceed();
                throw new Declined("no funds");
            });
            advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 10);
            return advisor;
        }
    }

    private static String pay(Payments payments, Propagation propagation, String key, boolean fails) {
        return switch (propagation) {
            case REQUIRED -> payments.required(key, fails);
            case SUPPORTS -> payments.supports(key, fails);
            case MANDATORY -> payments.mandatory(key, fails);
            case REQUIRES_NEW -> payments.requiresNew(key, fails);
            case NOT_SUPPORTED -> payments.notSupported(key, fails);
            case NEVER -> payments.never(key, fails);
            case NESTED -> payments.nested(key, fails);
        };
    }

    private static int effects(TestShop shop, String key) {
        return Objects.requireNonNull(
                shop.outside().queryForObject("SELECT count(*) FROM effects WHERE name = ?", Integer.class, key));
    }

    public static final class Declined extends RuntimeException {

        private static final long serialVersionUID = 1;

        public Declined(String message) {
            super(message);
        }
    }

    /** What the application does. */
    static class Payments {

        private final JdbcTemplate jdbc;
        private final AtomicInteger runs = new AtomicInteger();

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** Of the method's body since it was asked. */
        public int runs() {
            return runs.getAndSet(0);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.REQUIRED)
        public String required(String key, boolean fails) {
            return effect(key, fails);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.SUPPORTS)
        public String supports(String key, boolean fails) {
            return effect(key, fails);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.MANDATORY)
        public String mandatory(String key, boolean fails) {
            return effect(key, fails);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String requiresNew(String key, boolean fails) {
            return effect(key, fails);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public String notSupported(String key, boolean fails) {
            return effect(key, fails);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.NEVER)
        public String never(String key, boolean fails) {
            return effect(key, fails);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.NESTED)
        public String nested(String key, boolean fails) {
            return effect(key, fails);
        }

        private String effect(String key, boolean fails) {
            runs.incrementAndGet();
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            if (fails) {
                throw new Declined("no funds");
            }
            return "paid";
        }
    }
}
