package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;

/**
 * The primary keys of records: 16 bytes of the idempotency key's hash, so that the records of one key lie side by side
 * and an operator's search needs no index of its own, and then the 32 bytes of the record's id. No collation compares
 * bytes.
 */
final class RecordIds {

    private static final int BYTES_OF_KEY = 16;
    private static final int BYTES = BYTES_OF_KEY + 32;

    private RecordIds() {}

    static byte[] of(RecordKey key) {
        byte[] id = first(key.keyHash());
        byte[] ofRecord = HexFormat.of().parseHex(key.id());
        System.arraycopy(ofRecord, 0, id, BYTES_OF_KEY, ofRecord.length);
        return id;
    }

    /** The bounds, {@code first} and {@code last}, of all records of an idempotency key. */
    static Map<String, byte[]> allOf(RecordSelection selection) {
        byte[] first = first(selection.keyHash());
        byte[] last = first.clone();
        Arrays.fill(last, BYTES_OF_KEY, BYTES, (byte) 0xFF);
        return Map.of("first", first, "last", last);
    }

    private static byte[] first(String keyHash) {
        return Arrays.copyOf(HexFormat.of().parseHex(keyHash, 0, 2 * BYTES_OF_KEY), BYTES);
    }
}
