package dev.resilience.spring.idempotency.jdbc;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Statements that came in each other's way, and are repeated, because the database has rolled one of them back. */
public final class Races {

    /** How often at the most. */
    public static final int MOST_TRIES = 20;

    private static final int TRIES_AT_ONCE = 3;
    private static final long LONGEST_PAUSE_NANOS = 20_000_000;

    private static final Set<String> STATES = Set.of("23505", "40001", "40P01", "90131");

    private Races() {}

    /** What is tried, all of it in one transaction of its own. */
    @FunctionalInterface
    public interface Try<T> {

        T once() throws SQLException;
    }

    /** Tries until nothing else comes in between, a limited number of times. */
    public static <T> T repeated(Try<T> work) throws SQLException {
        for (int i = 1; i < MOST_TRIES; i++) {
            try {
                return work.once();
            } catch (SQLException failure) {
                if (!isRace(failure)) {
                    throw failure;
                }
            }
            pause(i);
        }
        return work.once();
    }

    /**
     * Before another try: what came in the way may need the processor to end. At random, so that two that met do not meet
     * again. No {@code TimeSource} knows of it, as none knows of the database's own waits.
     *
     * @param tries that were made; the first few are repeated at once
     */
    public static void pause(int tries) {
        if (tries >= TRIES_AT_ONCE) {
            long longest = Math.min(tries * 1_000_000L, LONGEST_PAUSE_NANOS);
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1, longest));
        }
    }

    /** A duplicate, a transaction that cannot be serialised (90131 in H2), or one that is the victim of a deadlock. */
    static boolean isRace(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && STATES.contains(state);
    }
}
