package dev.resilience.sample.gateway;

import java.math.BigDecimal;

/**
 * The sums of what the gateway has charged.
 *
 * @param doubles charges of orders that had been charged before
 * @param repeats calls that came again with a key, and were not charged again
 */
public record Charges(int count, BigDecimal total, int doubles, int repeats) {

    static final Charges NONE = new Charges(0, BigDecimal.ZERO, 0, 0);

    Charges plus(BigDecimal amount, boolean again) {
        return new Charges(count + 1, total.add(amount), again ? doubles + 1 : doubles, repeats);
    }

    Charges plusRepeat() {
        return new Charges(count, total, doubles, repeats + 1);
    }
}
