package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;
import java.util.Set;

/**
 * What a body is going to do.
 *
 * @param before how long it takes before it has its effect
 * @param after how long afterwards
 * @param adviceWithin how long the advice that stands within the method's transaction takes when the body has ended
 * @param adviceAround the same of the advice around that transaction
 */
record BodyPlan(Duration before, Duration after, Ending ending, Duration adviceWithin, Duration adviceAround) {

    /** What is left of a call that is made when all is well again. */
    static final BodyPlan IMMEDIATE =
            new BodyPlan(Duration.ZERO, Duration.ZERO, Ending.RETURNS, Duration.ZERO, Duration.ZERO);

    enum Ending {
        RETURNS,
        THROWS,
        /** What its transaction is committed for. */
        THROWS_TOLERATED,
        /** What is an answer. */
        DECLINES,
        /** Its transaction is to be rolled back, and it returns all the same. */
        RETURNS_WITHOUT_EFFECT,
        /** What asks for another attempt, and is the answer if there is none. */
        RETURNS_UNFINISHED,
        /** The same, and more of it than is stored. */
        RETURNS_TOO_MUCH,
        /** The server refuses to commit its transaction. */
        FAILS_AT_COMMIT;

        private boolean needsTransaction() {
            return this == RETURNS_WITHOUT_EFFECT || this == RETURNS_TOO_MUCH || this == FAILS_AT_COMMIT;
        }
    }

    static BodyPlan chosen(Baton baton, Set<ScenarioFeature> features, boolean transactional, boolean mayHang) {
        Ending ending = baton.chooseFrom(
                Ending.RETURNS,
                Ending.RETURNS,
                Ending.RETURNS,
                Ending.RETURNS,
                Ending.RETURNS,
                Ending.THROWS,
                Ending.THROWS,
                Ending.THROWS_TOLERATED,
                Ending.DECLINES,
                Ending.RETURNS_WITHOUT_EFFECT,
                Ending.RETURNS_UNFINISHED,
                Ending.RETURNS_TOO_MUCH,
                Ending.FAILS_AT_COMMIT);
        boolean cannot = (ending.needsTransaction() && !transactional)
                || (ending == Ending.RETURNS_TOO_MUCH && features.contains(ScenarioFeature.UNHEARD_TRANSACTIONS))
                || (ending == Ending.RETURNS_WITHOUT_EFFECT && !features.contains(ScenarioFeature.ROLLBACK_ONLY))
                || (ending == Ending.RETURNS_UNFINISHED && !features.contains(ScenarioFeature.UNFINISHED_RESULTS))
                || (ending == Ending.RETURNS_TOO_MUCH && !features.contains(ScenarioFeature.UNFINISHED_RESULTS))
                || (ending == Ending.FAILS_AT_COMMIT && !features.contains(ScenarioFeature.FAILING_COMMITS));
        boolean hangs = mayHang && baton.chance(40) && features.contains(ScenarioFeature.HANGING_BODIES);
        boolean quick =
                features.contains(ScenarioFeature.LONG_BACKOFF) && !features.contains(ScenarioFeature.STORE_FAULTS);
        return new BodyPlan(
                hangs ? Duration.ofSeconds(40) : quick ? Duration.ZERO : duration(baton),
                quick ? Duration.ZERO : duration(baton),
                cannot ? Ending.RETURNS : ending,
                advice(baton, features),
                advice(baton, features));
    }

    private static Duration advice(Baton baton, Set<ScenarioFeature> features) {
        return features.contains(ScenarioFeature.SLOW_ADVICE)
                ? baton.chooseFrom(Duration.ZERO, Duration.ofMillis(300), Duration.ofSeconds(1))
                : Duration.ZERO;
    }

    static Duration duration(Baton baton) {
        return baton.chooseFrom(
                Duration.ZERO,
                Duration.ZERO,
                baton.chooseUpTo(Duration.ofMillis(50)),
                baton.chooseUpTo(Duration.ofSeconds(2)),
                baton.chooseUpTo(Duration.ofSeconds(4)));
    }

    BodyPlan ending(Ending other) {
        return new BodyPlan(before, after, other, adviceWithin, adviceAround);
    }

    BodyPlan failing() {
        return ending(Ending.THROWS);
    }
}
