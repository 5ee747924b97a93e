package dev.resilience.sample.gateway;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What has been charged, and under which keys. */
final class Ledger {

    private static final int KEYS_REMEMBERED = 10_000;

    private final Map<String, Payment> byKey = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Payment> eldest) {
            return size() > KEYS_REMEMBERED;
        }
    };
    private Charges charges = Charges.NONE;

    synchronized Charges charges() {
        return charges;
    }

    /**
     * Charges an amount, or repeats the answer if the key has been charged before.
     *
     * @param key {@code null} for a charge of its own
     * @return the id of the payment, or {@code null} if the key belongs to a charge of another amount
     */
    synchronized @Nullable String charge(@Nullable String key, BigDecimal amount) {
        Payment known = key == null ? null : byKey.get(key);
        if (known != null && known.amount().compareTo(amount) != 0) {
            return null;
        }
        if (known != null) {
            charges = charges.plusRepeat();
            return known.id();
        }
        Payment payment = new Payment("pay_" + UUID.randomUUID().toString().substring(0, 8), amount);
        if (key != null) {
            byKey.put(key, payment);
        }
        charges = charges.plus(amount);
        return payment.id();
    }

    synchronized void clear() {
        charges = Charges.NONE;
        byKey.clear();
    }

    private record Payment(String id, BigDecimal amount) {}

    /**
     * The sums.
     *
     * @param repeats calls that came again with a key, and were not charged again
     */
    record Charges(int count, BigDecimal total, int repeats) {

        static final Charges NONE = new Charges(0, BigDecimal.ZERO, 0);

        Charges plus(BigDecimal amount) {
            return new Charges(count + 1, total.add(amount), repeats);
        }

        Charges plusRepeat() {
            return new Charges(count, total, repeats + 1);
        }
    }
}
