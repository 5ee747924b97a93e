package dev.resilience.spring.chaos;

import java.util.Random;

/** What a run of a body does besides its effect, by a seed. */
record BodyPlan(Ending ending, boolean stalls, int sharedRow) {

    private static final int NONE = -1;

    /** How the body ends. */
    enum Ending {
        RETURNS,
        /** Throws what may go better another time. */
        FAILS,
        /** Throws what is final. */
        DECLINES,
        /** Returns, and has its transaction rolled back. */
        UNDOES
    }

    static BodyPlan of(long seed, int rows) {
        Random random = new Random(seed * 7_919);
        random.nextLong();
        int share = random.nextInt(100);
        Ending ending =
                share < 4 ? Ending.FAILS : share < 7 ? Ending.DECLINES : share < 9 ? Ending.UNDOES : Ending.RETURNS;
        return new BodyPlan(ending, random.nextInt(100) < 3, random.nextInt(100) < 15 ? random.nextInt(rows) : NONE);
    }

    /** As every body should be. */
    static BodyPlan healthy() {
        return new BodyPlan(Ending.RETURNS, false, NONE);
    }

    boolean changesShared() {
        return sharedRow != NONE;
    }
}
