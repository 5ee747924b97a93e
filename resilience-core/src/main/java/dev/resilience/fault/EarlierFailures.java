package dev.resilience.fault;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The last failures of a call before the one that its caller sees, which carries them as suppressed. */
public final class EarlierFailures {

    private static final int MOST_SUPPRESSED = 10;

    private final Deque<Throwable> failures = new ArrayDeque<>(2);

    /** With one more failure; {@code null} stands for none before it. */
    public static EarlierFailures with(Throwable failure, @Nullable EarlierFailures before) {
        EarlierFailures failures = before == null ? new EarlierFailures() : before;
        failures.add(failure);
        return failures;
    }

    private void add(Throwable failure) {
        if (failures.size() == MOST_SUPPRESSED) {
            failures.removeFirst();
        }
        failures.addLast(failure);
    }

    public void addTo(Throwable last) {
        failures.forEach(earlier -> suppress(last, earlier)); // the last one itself is left out there
    }

    /** An exception that is thrown again and again, such as a constant, must not collect suppressed ones for ever. */
    private static void suppress(Throwable failure, Throwable earlier) {
        Throwable[] suppressed = failure.getSuppressed();
        if (earlier == failure || suppressed.length >= MOST_SUPPRESSED) {
            return;
        }
        for (Throwable known : suppressed) {
            if (known == earlier) {
                return;
            }
        }
        failure.addSuppressed(earlier);
    }
}
