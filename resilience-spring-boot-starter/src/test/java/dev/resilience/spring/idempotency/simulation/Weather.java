package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;

/** How much goes wrong between the machines, for as long as it does. */
final class Weather {

    private static final Fate[] BAD = {
        Fate.REFUSED, Fate.LOST, Fate.ANSWER_LOST, Fate.LATE_REQUEST, Fate.LATE_ANSWER, Fate.APPLIED_AFTER_GIVING_UP
    };

    private final Baton baton;
    private final Duration longest;
    private int perMille;
    private int commitsPerMille;
    private boolean disturbed;

    /**
     * @param longest how late something may be
     */
    Weather(Baton baton, Duration longest) {
        this.baton = baton;
        this.longest = longest;
        this.perMille = baton.chooseFrom(0, 5, 20, 80);
        this.commitsPerMille = baton.chooseFrom(0, 200, 500);
    }

    Fate ofStatement() {
        return baton.chance(perMille) ? bad() : Fate.APPLIED;
    }

    /** A COMMIT is one among many statements; so that enough of them go wrong, they do so more often. */
    Fate ofCommit() {
        return baton.chance(commitsPerMille) ? bad() : Fate.APPLIED;
    }

    private Fate bad() {
        disturbed = true;
        return baton.chooseFrom(BAD);
    }

    Duration delay() {
        return baton.chooseUpTo(longest);
    }

    /** Something other than the store goes wrong. */
    void disturb() {
        disturbed = true;
    }

    /** Whether anything has gone wrong so far that an owner may be replaced for. */
    boolean wasDisturbed() {
        return disturbed;
    }

    void clears() {
        commitsPerMille = 0;
        perMille = 0;
    }
}
