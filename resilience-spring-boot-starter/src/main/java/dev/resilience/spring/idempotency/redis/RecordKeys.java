package dev.resilience.spring.idempotency.redis;

import dev.resilience.idempotency.store.RecordKey;

/**
 * Where records are: at {@code <prefix>{<hash of the idempotency key>}:<id of the record>}. The braces make a cluster
 * keep all records of an idempotency key on one node, whatever the method and the caller.
 */
record RecordKeys(String prefix) {

    RecordKeys {
        if (prefix.contains("{") || prefix.contains("}")) {
            throw new IllegalArgumentException(
                    "A key prefix must have no braces, which would tell a cluster where to keep its keys: " + prefix);
        }
    }

    String of(RecordKey key) {
        return common(key.keyHash()) + key.id();
    }

    /** What the keys of all records of an idempotency key begin with. */
    String common(String keyHash) {
        return prefix + "{" + keyHash + "}:";
    }

    /** The pattern that the keys of all records of an idempotency key match, and no others. */
    String pattern(String keyHash) {
        return common(keyHash).replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + "*";
    }
}
