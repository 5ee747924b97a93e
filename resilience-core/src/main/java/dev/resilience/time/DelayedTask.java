package dev.resilience.time;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Something that waits for its time among {@link DelayedTasks}, and is itself what stands in their heap: a hundred thousand
 * calls that wait are not to need as many timers beside them. It may wait again when its time has come. Not for
 * applications.
 */
public abstract class DelayedTask {

    static final int NOT_ADDED = -1;
    static final int OVER = -2;

    // All of them are read and written with the lock of the tasks.
    long due;
    int number; // of those that are due at the same time, the one that was added first goes first
    int position = NOT_ADDED;

    /** Its time has come, or its wait was ended early. Runs where {@link #executor()} says. */
    public abstract void onDue();

    /** Where it goes on; {@code null} for where the tasks that it waits among say. */
    public @Nullable Executor executor() {
        return null;
    }
}
