package dev.resilience.sample.gateway;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
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
    private final Set<String> orders = new HashSet<>();
    private Charges charges = Charges.NONE;

    synchronized Charges charges() {
        return charges;
    }

    /**
     * Charges an amount, or repeats the answer if the key has been charged before.
     *
     * @param key {@code null} for a charge of its own
     * @param order what it pays for, as far as the caller says
     * @return the id of the payment, or {@code null} if the key belongs to a charge of another amount
     */
    synchronized @Nullable String charge(@Nullable String key, @Nullable String order, BigDecimal amount) {
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
        charges = charges.plus(amount, order != null && !orders.add(order));
        return payment.id();
    }

    synchronized void clear() {
        charges = Charges.NONE;
        byKey.clear();
        orders.clear();
    }

    private record Payment(String id, BigDecimal amount) {}
}
