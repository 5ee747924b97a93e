package dev.resilience.spring.idempotency.jdbc;

import java.sql.SQLException;
import java.util.Set;

/** Statements that came in each other's way, and are repeated, because the database has rolled one of them back. */
public final class Races {

    /** How often at the most. */
    public static final int MOST_TRIES = 20;

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
        }
        return work.once();
    }

    /** A duplicate, a transaction that cannot be serialised (90131 in H2), or one that is the victim of a deadlock. */
    static boolean isRace(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && STATES.contains(state);
    }
}
