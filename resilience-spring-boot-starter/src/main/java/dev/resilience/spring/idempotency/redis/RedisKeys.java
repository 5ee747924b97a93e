package dev.resilience.spring.idempotency.redis;

import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Names the keys under which Redis has the records: {@code <prefix>{<hash of the idempotency key>}:<id of the record>}. The braces make a cluster
 * keep all records of an idempotency key on one node, whatever the method and the caller. Finds those that an operator means.
 */
record RedisKeys(String prefix) {

    private static final LuaScript LOOK_UP = new LuaScript("record.lua", "state.lua", "look-up.lua");
    private static final LuaScript SCAN = new LuaScript("scan.lua");

    /** The cursor with which a search starts, and with which Redis says that it is over. */
    private static final String START_AND_END = "0";

    private static final int PAGE_SIZE = 1_000;

    RedisKeys {
        if (prefix.contains("{") || prefix.contains("}")) {
            throw new IllegalArgumentException(
                    "A key prefix must have no braces, which would tell a cluster where to keep its keys: " + prefix);
        }
    }

    String of(RecordKey key) {
        return common(key.keyHash()) + key.id();
    }

    /** What the keys of all records of an idempotency key begin with. */
    private String common(String keyHash) {
        return prefix + "{" + keyHash + "}:";
    }

    /** The pattern that the keys of all records of an idempotency key match, and no others. */
    private String pattern(String keyHash) {
        return common(keyHash).replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + "*";
    }

    List<Found> find(RedisConnection connection, RecordSelection selection) {
        List<Found> records = new ArrayList<>();
        for (String key : candidates(connection, selection)) {
            LuaScript.Answer answer = LOOK_UP.ask(connection, key);
            if (answer.size() > 0) {
                RecordSummary summary = summary(answer);
                if (selection.includes(summary.operation(), summary.callerHash())) {
                    records.add(new Found(key, summary));
                }
            }
        }
        return records;
    }

    /** The keys at which the records may be: known if the caller is, and is no hash; else looked for. */
    private Set<String> candidates(RedisConnection connection, RecordSelection selection) {
        String caller = selection.caller();
        if (caller == null || caller.length() == selection.keyHash().length()) {
            return scan(connection, selection.keyHash());
        }
        return selection.operations().stream()
                .map(operation -> of(RecordKey.of(operation, caller, selection.key())))
                .collect(Collectors.toSet());
    }

    private Set<String> scan(RedisConnection connection, String keyHash) {
        Set<String> found = new LinkedHashSet<>(); // Redis may name a key twice
        String cursor = START_AND_END;
        do {
            LuaScript.Answer page = SCAN.ask(connection, common(keyHash), cursor, pattern(keyHash), PAGE_SIZE);
            cursor = page.text(0);
            IntStream.range(1, page.size()).mapToObj(page::text).forEach(found::add);
        } while (!cursor.equals(START_AND_END));
        return found;
    }

    private static RecordSummary summary(LuaScript.Answer answer) {
        boolean stays = answer.text(3).isEmpty();
        return new RecordSummary(
                answer.text(0),
                answer.text(1),
                RecordSummary.State.valueOf(answer.text(2)),
                stays ? null : answer.millis(3));
    }

    /** A record, and where it is. */
    record Found(String key, RecordSummary summary) {}
}
