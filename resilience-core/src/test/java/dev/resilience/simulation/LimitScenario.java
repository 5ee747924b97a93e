package dev.resilience.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Load, callee and bulkhead of a simulation.
 *
 * @param meanSeconds for how long the callee works at a call on average
 * @param maxQueue calls that may wait for a permit
 */
record LimitScenario(String title, double meanSeconds, Service service, int maxQueue, List<LimitPhase> phases) {

    /** How long the callee works at a call, in means. */
    enum Service {
        CONSTANT("50 ms, each") {
            @Override
            double of(SplittableRandom random) {
                return 1;
            }
        },
        EXPONENTIAL("50 ms, exponential") {
            @Override
            double of(SplittableRandom random) {
                return -StrictMath.log(1 - random.nextDouble());
            }
        },
        /** Nine of ten calls take a tenth as long as the tenth one. */
        BIMODAL("26 ms, one in ten 263 ms") {
            @Override
            double of(SplittableRandom random) {
                return (random.nextDouble() < 0.1 ? 10 : 1) / 1.9;
            }
        };

        private final String title;

        Service(String title) {
            this.title = title;
        }

        /** For calls of 50 ms. */
        String title() {
            return title;
        }

        abstract double of(SplittableRandom random);
    }

    /** Twenty times what a call takes, and a second at the least. */
    Duration timeout() {
        return Duration.ofMillis((long) Math.max(1_000, meanSeconds * 20_000));
    }

    /** How many calls the callee works at in a second. */
    static double capacity(int servers, double meanSeconds) {
        return servers / meanSeconds;
    }

    /** What can come over a callee: 40 servers, 50 ms for a call, and a tenth more calls than it can serve. */
    static LimitScenario day(Service service, int maxQueue, int seconds) {
        double rate = 1.1 * capacity(40, 0.05);
        return new LimitScenario(
                "a day",
                0.05,
                service,
                maxQueue,
                List.of(
                        new LimitPhase("begins", seconds, rate, 40),
                        new LimitPhase("half of the servers", seconds, rate, 20),
                        new LimitPhase("all of them again", seconds, rate, 40),
                        new LimitPhase("half as fast", seconds, rate, 40, 2, false),
                        new LimitPhase("as before", seconds, rate, 40),
                        new LimitPhase("all calls time out", seconds / 2, rate, 40, 1, true),
                        new LimitPhase("after that", seconds, rate, 40)));
    }

    /** A steady load, as a share of what the callee can serve. */
    static LimitScenario steady(double load, int servers, double meanSeconds, Service service, int queue, int seconds) {
        LimitPhase phase = new LimitPhase("steady", seconds, load * capacity(servers, meanSeconds), servers);
        return new LimitScenario("steady", meanSeconds, service, queue, List.of(phase));
    }
}
