package dev.resilience.time;

import java.util.function.ObjLongConsumer;

/**
 * Beats at an interval as long as it is asked: some beats after the last time it stops, and the one who asks next
 * starts it again. Asking costs a read or two, for it is part of every call.
 */
class OnDemandTicker {

    private static final int BEATS_UNTIL_IDLE = 100;

    private final long millis;
    private final ObjLongConsumer<Runnable> timer;
    private volatile boolean beating;

    /** Plain, for it may be seen late; written only if it changes, so that threads can share it. */
    private boolean asked;

    private int idleBeats;

    /**
     * @param millis between two beats
     * @param timer runs something so many milliseconds later
     */
    OnDemandTicker(long millis, ObjLongConsumer<Runnable> timer) {
        this.millis = millis;
        this.timer = timer;
    }

    /** Whether it beats from now on; if not, the system has no thread left for it. */
    final boolean beats() {
        if (!asked) {
            asked = true;
        }
        return beating || start();
    }

    private synchronized boolean start() {
        if (!beating) {
            idleBeats = 0;
            onBeat();
            beating = next();
        }
        return beating;
    }

    private synchronized void beat() {
        onBeat();
        idleBeats = asked ? 0 : idleBeats + 1;
        asked = false;
        beating = idleBeats < BEATS_UNTIL_IDLE && next();
    }

    private boolean next() {
        try {
            timer.accept(this::beat, millis);
            return true;
        } catch (OutOfMemoryError noThread) {
            return false;
        }
    }

    /** What a beat is for, beyond itself. */
    void onBeat() {}
}
