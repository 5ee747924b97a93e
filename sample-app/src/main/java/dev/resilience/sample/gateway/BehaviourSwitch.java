package dev.resilience.sample.gateway;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Holds the behaviour in force. A change of behaviour releases the calls that wait because of the old one. */
final class BehaviourSwitch {

    private Behaviour current = Behaviour.GOOD;
    private long changes;
    private long second;
    private int calls;
    private int callsBefore;

    synchronized Behaviour current() {
        return current;
    }

    synchronized void set(Behaviour behaviour) {
        current = behaviour;
        changes++;
        notifyAll();
    }

    /** Counts a call, and decides whether there are too many in this second or the one before. */
    synchronized boolean isOverloaded() {
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
        if (now != second) {
            callsBefore = now == second + 1 ? calls : 0;
            calls = 0;
            second = now;
        }
        calls++;
        return current.capacity() > 0 && Math.max(calls, callsBefore) > current.capacity();
    }

    /** Decides whether a call fails, and takes it off the calls that still have to. */
    synchronized boolean nextCallFails() {
        if (current.failNext() > 0) {
            current = current.withOneFailureLess();
            return true;
        }
        return ThreadLocalRandom.current().nextDouble() < current.errorRate();
    }

    /** Decides whether the answer to a charge is lost, and takes it off the answers that still have to be. */
    synchronized boolean nextAnswerIsLost() {
        if (current.loseNext() == 0) {
            return false;
        }
        current = current.withOneLossLess();
        return true;
    }

    /** Waits for that long, or until the behaviour changes. */
    synchronized void pause(Duration duration) throws InterruptedException {
        long changesBefore = changes;
        long end = System.nanoTime() + duration.toNanos();
        long left = duration.toNanos();
        while (left > 0 && changes == changesBefore) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
    }
}
