package dev.resilience.spring.idempotency.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call that a caller is going to make, if need be several times.
 *
 * @param bodies what each attempt is going to do; the last one what all after it do
 * @param looksFirst whether the caller's transaction reads something before the call
 * @param think how long the caller's transaction goes on after the call
 * @param timeLimit after which the call is over and its body is not; {@code null} for none
 * @param cancelAfter when the caller gives up; {@code null} for never
 * @param tries how often the caller tries it
 */
record CallPlan(
        String key,
        Style style,
        Isolation isolation,
        List<BodyPlan> bodies,
        boolean retried,
        boolean looksFirst,
        Duration think,
        OuterEnd outerEnd,
        @Nullable Duration timeLimit,
        @Nullable Duration cancelAfter,
        int tries) {

    /** Which transaction a call is made in. */
    enum Style {
        /** None. */
        PLAIN,
        /** None, and the method returns a stage. */
        STAGE,
        /** The method's. */
        OWN,
        /** The caller's. */
        CALLERS,
        /** The caller's, which the method joins. */
        CALLERS_JOINED,
        /** The caller's, the call after a savepoint. */
        CALLERS_NESTED,
        /** The caller's, each attempt after a savepoint. */
        CALLERS_PART;

        boolean isCallers() {
            return this == CALLERS || this == CALLERS_JOINED || this == CALLERS_NESTED || this == CALLERS_PART;
        }

        boolean isTransactional() {
            return this == OWN || isCallers();
        }
    }

    /** What becomes of the caller's transaction. */
    enum OuterEnd {
        COMMITS,
        /** The caller fails after the call. */
        FAILS,
        /** The caller does not mind if the call fails. */
        COMMITS_ANYWAY
    }

    /** One that has its answer as soon as it can be had. */
    static CallPlan immediate(String key) {
        Style style = isTransactional(key) ? Style.OWN : Style.PLAIN;
        return new CallPlan(
                key,
                style,
                Isolation.READ_COMMITTED,
                List.of(BodyPlan.IMMEDIATE),
                false,
                false,
                Duration.ZERO,
                OuterEnd.COMMITS,
                null,
                null,
                Integer.MAX_VALUE);
    }

    static CallPlan chosen(Baton baton, Set<ScenarioFeature> features, String key) {
        Style style = style(baton, features, key);
        Isolation isolation = features.contains(ScenarioFeature.SNAPSHOTS) && baton.chance(300)
                ? baton.chooseFrom(Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE)
                : Isolation.READ_COMMITTED;
        boolean limited = features.contains(ScenarioFeature.OUTLIVING_BODIES)
                && (style == Style.OWN || style == Style.PLAIN)
                && baton.chance(features.contains(ScenarioFeature.STORE_FAULTS) ? 150 : 500);
        boolean retried = features.contains(ScenarioFeature.ATTEMPTS) && baton.chance(700);
        Set<BodyPlan.Ending> cannot = EnumSet.noneOf(BodyPlan.Ending.class);
        if (retried && style == Style.OWN) {
            cannot.add(BodyPlan.Ending.RETURNS_TOO_MUCH); // which one is the last is known after its commit
        }
        if (limited && !features.contains(ScenarioFeature.LATE_ANSWERS)) {
            cannot.add(BodyPlan.Ending.DECLINES);
        }
        if (limited && !features.contains(ScenarioFeature.LATE_ROLLBACK_ONLY)) {
            cannot.add(BodyPlan.Ending.RETURNS_WITHOUT_EFFECT);
        }
        List<BodyPlan> bodies = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            // A snapshot has its record locked, max-lease or not, until it ends
            boolean mayHang = !isolation.isSnapshot() && (i == 0 || features.contains(ScenarioFeature.HANGING_RETRIES));
            BodyPlan body = BodyPlan.chosen(baton, features, style.isTransactional(), mayHang);
            boolean undone = limited
                    && style == Style.OWN
                    && features.contains(ScenarioFeature.ROLLBACK_ONLY)
                    && !cannot.contains(BodyPlan.Ending.RETURNS_WITHOUT_EFFECT)
                    && baton.chance(200);
            BodyPlan planned = undone ? body.ending(BodyPlan.Ending.RETURNS_WITHOUT_EFFECT) : body;
            bodies.add(cannot.contains(planned.ending()) ? planned.failing() : planned);
        }
        boolean looksFirst = features.contains(ScenarioFeature.OLD_SNAPSHOTS) && style.isCallers() && baton.chance(400);
        boolean cancelled =
                features.contains(ScenarioFeature.CANCELLATION) && style == Style.STAGE && baton.chance(300);
        return new CallPlan(
                key,
                style,
                isolation,
                bodies,
                retried,
                looksFirst,
                BodyPlan.duration(baton),
                baton.chooseFrom(OuterEnd.COMMITS, OuterEnd.COMMITS, OuterEnd.FAILS, OuterEnd.COMMITS_ANYWAY),
                limited ? baton.chooseUpTo(Duration.ofSeconds(2)) : null,
                cancelled ? baton.chooseUpTo(Duration.ofSeconds(3)) : null,
                2 + baton.choose(7));
    }

    private static Style style(Baton baton, Set<ScenarioFeature> features, String key) {
        if (!isTransactional(key)) {
            return features.contains(ScenarioFeature.STAGES) && baton.chance(500) ? Style.STAGE : Style.PLAIN;
        }
        Style style = baton.chooseFrom(
                Style.OWN,
                Style.OWN,
                Style.OWN,
                Style.CALLERS,
                Style.CALLERS_JOINED,
                Style.CALLERS_NESTED,
                Style.CALLERS_PART,
                Style.CALLERS_PART);
        boolean isNested = style == Style.CALLERS_NESTED || style == Style.CALLERS_PART;
        boolean cannot = (isNested && !features.contains(ScenarioFeature.SAVEPOINTS))
                || (style.isCallers() && !features.contains(ScenarioFeature.CALLERS_TRANSACTIONS));
        return cannot ? Style.OWN : style;
    }

    /** The methods of some keys are transactional, those of others are not. */
    static boolean isTransactional(String key) {
        return key.startsWith("tx");
    }

    /** Whether its attempts may take longer in all than their key can be held. */
    boolean mayOutlive(Duration maxLease, Duration betweenAttempts) {
        Duration all = Duration.ZERO;
        for (BodyPlan body : bodies) {
            all = all.plus(body.before()).plus(body.after()).plus(betweenAttempts);
        }
        return all.compareTo(maxLease) > 0;
    }

    /** Whether a transaction has its record locked, and its lease not renewed, until the lease is nearly over. */
    boolean isLongSnapshot(Duration lease) {
        return isolation.isSnapshot()
                && bodies.stream()
                        .anyMatch(body ->
                                body.before().plus(body.after()).multipliedBy(2).compareTo(lease) > 0);
    }

    BodyPlan body(int attempt) {
        return bodies.get(Math.min(attempt, bodies.size() - 1));
    }
}
