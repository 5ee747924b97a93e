package dev.resilience.time;

/**
 * A wait was ended because the application ends. Nothing else interrupted the thread, so its interrupt flag need not be
 * set again.
 */
public final class WaitStoppedException extends InterruptedException {

    private static final long serialVersionUID = 1L;

    public WaitStoppedException() {
        super("The application ends, and with it all waits");
    }
}
