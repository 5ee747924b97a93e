package dev.resilience.event;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * One counter for each outcome of a kind. Counting never blocks and never allocates; reading sums up. Not for applications.
 *
 * @param <O> the outcomes that are counted
 */
@SuppressWarnings("EnumOrdinal") // an index, and nothing that outlives the process
public final class OutcomeCounters<O extends Enum<O> & Outcome> {

    private final O[] outcomes;
    private final LongAdder[] counters;
    private final LongSupplier[] sums;

    public OutcomeCounters(Class<O> type) {
        this.outcomes = type.getEnumConstants();
        this.counters = new LongAdder[outcomes.length];
        this.sums = new LongSupplier[outcomes.length];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = new LongAdder();
            sums[i] = counters[i]::sum;
        }
    }

    /** Something else counts the calls that end so anyway: they are only read here. To be said before any call ends. */
    public void read(O outcome, LongSupplier elsewhere) {
        sums[outcome.ordinal()] = elsewhere;
    }

    /** Counts one call that ended so. */
    public void count(O outcome) {
        counters[outcome.ordinal()].increment();
    }

    /** What counts the calls that ended so, for those that count them often. */
    public LongAdder counter(O outcome) {
        return counters[outcome.ordinal()];
    }

    /** How many calls ended so. */
    public long get(O outcome) {
        return sums[outcome.ordinal()].getAsLong();
    }

    /** How many calls ended, in whatever way. */
    public long total() {
        return Arrays.stream(outcomes).mapToLong(this::get).sum();
    }

    /** How many calls ended in which way, by the label of the outcome, in the order of declaration. */
    public Map<String, Long> byLabel() {
        Map<String, Long> byLabel = new LinkedHashMap<>();
        for (O outcome : outcomes) {
            byLabel.put(outcome.label(), get(outcome));
        }
        return byLabel;
    }

    /** Everything that is counted, in the order of declaration. */
    public O[] outcomes() {
        return outcomes.clone();
    }
}
