package dev.resilience.simulation;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.function.Consumer;

/** The last in the chain: down for a while, and with room for half as much again as the normal load when it is up. */
final class Backend implements Endpoint {

    private static final Duration SERVED_AFTER = Duration.ofMillis(5);
    private static final Duration REFUSED_AFTER = Duration.ofMillis(1);
    private static final long SLICE_NANOS = Duration.ofMillis(100).toNanos();
    private static final int ROOM_IN_SLICE = 150;

    private final Timetable timetable;
    private final TimeSource time;
    private final StormRecord log;
    private long slice;
    private int servedInSlice;

    Backend(Timetable timetable, TimeSource time, StormRecord log) {
        this.timetable = timetable;
        this.time = time;
        this.log = log;
    }

    @Override
    public void answer(Request request, Consumer<Answer> caller) {
        long now = time.nanoTime();
        log.reachedBackend(now);
        if (timetable.isDown(now) || !hasRoom(now)) {
            time.schedule(REFUSED_AFTER, () -> caller.accept(Answer.CONNECTION_REFUSED));
        } else {
            time.schedule(SERVED_AFTER, () -> caller.accept(Answer.OK));
        }
    }

    private boolean hasRoom(long now) {
        if (now / SLICE_NANOS != slice) {
            slice = now / SLICE_NANOS;
            servedInSlice = 0;
        }
        return servedInSlice++ < ROOM_IN_SLICE;
    }
}
