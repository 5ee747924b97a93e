package dev.resilience.spring.chaos;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.chaos.BodyPlan.Ending;
import dev.resilience.spring.chaos.History.Body;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** What the application does, once for each key. */
class Orders {

    /** Longer than {@link ShopNode#LEASE} and {@link ShopNode#MAX_LEASE}. */
    private static final Duration STALL = Duration.ofMillis(550);

    private static final int ROWS = 32;

    private final History history;
    private final Effects effects;

    Orders(History history, Effects effects) {
        this.history = history;
        this.effects = effects;
    }

    /** Final, and a promise that there is no effect. */
    static final class Declined extends IllegalArgumentException {

        Declined() {
            super("declined");
        }
    }

    @Idempotent(value = "orders", key = "#key")
    @Retryable("orders")
    @Transactional
    public String place(String key) {
        Body body = history.begins(ROWS);
        BodyPlan plan = body.plan();
        if (plan.changesShared()) {
            effects.changeShared(plan.sharedRow());
        }
        effects.add(body.number(), key);
        if (plan.stalls()) {
            stall();
        }
        if (plan.ending() == Ending.FAILS) {
            throw new TransientDataAccessResourceException("of the body");
        }
        if (plan.ending() == Ending.DECLINES) {
            throw new Declined();
        }
        if (plan.ending() == Ending.UNDOES) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }
        return body.value();
    }

    private static void stall() {
        long end = System.nanoTime() + STALL.toNanos();
        for (long left = STALL.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
