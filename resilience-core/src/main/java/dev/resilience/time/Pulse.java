package dev.resilience.time;

/**
 * Beats at an interval as long as somebody asks for it: some beats after the last time it stops, and whoever asks next
 * starts it again. Asking costs a read or two, for it is part of every call.
 */
abstract class Pulse {

    private final int beatsUntilIdle;
    private volatile boolean beating;

    /** Plain, for it may be seen late; written only if it changes, so that threads can share it. */
    private boolean asked;

    private int idleBeats;

    Pulse(int beatsUntilIdle) {
        this.beatsUntilIdle = beatsUntilIdle;
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
        beating = idleBeats < beatsUntilIdle && next();
    }

    private boolean next() {
        try {
            later(this::beat);
            return true;
        } catch (OutOfMemoryError noThread) {
            return false;
        }
    }

    /** Has the next beat come an interval later. */
    abstract void later(Runnable beat);

    /** What a beat is for. */
    abstract void onBeat();
}
