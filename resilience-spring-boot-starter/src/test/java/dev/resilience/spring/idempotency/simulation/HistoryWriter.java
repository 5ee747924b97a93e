package dev.resilience.spring.idempotency.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Makes a history of one key by a seed: what is done by up to five owners and two transactions, with the answers. */
final class HistoryWriter {

    private static final int LONGEST = 16;
    private static final int OWNERS = 5;
    private static final String ANSWER = " = ";

    private final Random random;
    private final HistoryPlayer player;
    private final List<String> lines = new ArrayList<>();
    private final Set<String> failed = new HashSet<>();
    private int claims;

    private HistoryWriter(Random random, HistoryPlayer player) {
        this.random = random;
        this.player = player;
    }

    static List<String> history(long seed) {
        List<String> history = new ArrayList<>();
        HistoryPlayer.with(player -> history.addAll(new HistoryWriter(new Random(seed), player).write()));
        return history;
    }

    private List<String> write() {
        boolean transactional = random.nextBoolean();
        int length = 6 + random.nextInt(LONGEST - 6);
        add("claim 1 " + time());
        claims = 1;
        for (int i = 0; i < length; i++) {
            if (transactional && random.nextInt(5) > 1) {
                addOfTransaction();
            } else {
                addOutside();
            }
        }
        player.transactions().forEach(open -> add("rollback " + open));
        add("claim " + (claims + 1) + " long take-over");
        return lines;
    }

    private void addOutside() {
        boolean isLocked = player.isLockedAgainst(null);
        int what = random.nextInt(10);
        if (what < 3) {
            addClaim(isLocked);
        } else if (what == 3) {
            add("clean");
        } else if (what == 4 && lines.stream().anyMatch(line -> line.startsWith("begin"))) {
            add("status " + owner());
        } else if (!isLocked || random.nextInt(10) == 0) { // which takes a while in PostgreSQL
            add(change());
        }
    }

    private void addClaim(boolean isLocked) {
        boolean waits = isLocked && player.isCompleted();
        if (!waits && claims < OWNERS) {
            claims++;
            add("claim " + claims + " " + time() + (random.nextBoolean() ? " take-over" : "")
                    + (random.nextInt(8) == 0 ? " other" : ""));
        }
    }

    private void addOfTransaction() {
        List<String> open = player.transactions();
        if (open.isEmpty() || (open.size() < 2 && random.nextInt(4) == 0)) {
            begin(open);
            return;
        }
        String transaction = open.get(random.nextInt(open.size()));
        int what = random.nextInt(10);
        if (what < 2 || failed.contains(transaction)) {
            boolean commits = random.nextInt(3) > 0 && !failed.contains(transaction);
            add((commits ? "commit " : "rollback ") + transaction);
        } else if (what < 4) {
            addWithin(transaction, "look"); // from then on a snapshot stays as it is
        } else if (!player.isLockedAgainst(transaction)) {
            addWithin(transaction, what < 6 ? "status " + owner() : change());
        } else if (!player.isSnapshot(transaction)) { // of a changed one H2 says LOCKED, PostgreSQL 40001
            addWithin(transaction, "status " + owner());
        }
    }

    /** Of transactions that overlap one is SERIALIZABLE at the most: among several PostgreSQL finds conflicts of its own. */
    private void begin(List<String> open) {
        Isolation[] all = Isolation.values();
        int highest = open.isEmpty() ? all.length - 1 : all.length - 2;
        Isolation isolation = all[Math.min(highest, random.nextInt(all.length + 1))];
        String name = open.contains("t1") ? "t2" : "t1";
        failed.remove(name);
        add("begin " + name + " " + isolation);
    }

    private void addWithin(String transaction, String what) {
        if (HistoryPlayer.isFailure(add(transaction + " " + what))) {
            failed.add(transaction);
        }
    }

    private String change() {
        return switch (random.nextInt(4)) {
            case 0 -> "renew " + owner() + " " + time();
            case 1 -> "release " + owner();
            default -> "complete " + owner() + " result-" + lines.size() + " " + time();
        };
    }

    /** More often than not the last one, which has the key. */
    private String owner() {
        List<String> owners = player.owners();
        return owners.get(random.nextInt(3) > 0 ? owners.size() - 1 : random.nextInt(owners.size()));
    }

    private String time() {
        return random.nextBoolean() ? "over" : "long";
    }

    private String add(String line) {
        String answer = player.perform(line);
        lines.add(line + ANSWER + answer);
        return answer;
    }
}
