package dev.resilience.sample.gateway;

import java.math.BigDecimal;

/** What has been charged. */
final class Ledger {

    private Charges charges = Charges.NONE;
    private long payments;

    synchronized Charges charges() {
        return charges;
    }

    /** Returns the id of the payment. */
    synchronized String charge(BigDecimal amount) {
        charges = new Charges(charges.count() + 1, charges.total().add(amount));
        payments++;
        return "payment-" + payments;
    }

    /** Payment ids go on where they were. */
    synchronized void clear() {
        charges = Charges.NONE;
    }

    record Charges(int count, BigDecimal total) {

        static final Charges NONE = new Charges(0, BigDecimal.ZERO);
    }
}
