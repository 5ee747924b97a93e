package dev.resilience.spring.hedge;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.hedge.Hedge;
import dev.resilience.hedge.HedgePolicy;
import dev.resilience.pipeline.Layer;
import dev.resilience.policy.PropertyNames;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.retry.RetryBudgetKind;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Hedges: {@code @Hedge} and {@code resilience.hedge}. */
public final class HedgeKind extends ConfiguredKind<dev.resilience.annotation.Hedge, HedgePolicy, Hedge> {

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.hedge.calls", "calls", "Calls of hedged methods by which attempt ended them");
    private static final MeterFamily ATTEMPTS = new MeterFamily(
            "resilience.hedge.attempts", "attempts", "Second attempts made beside slow first ones: the extra load");
    private static final MeterFamily DELAY = new MeterFamily(
            "resilience.hedge.delay", "seconds", "How long a first attempt takes before a second one begins");

    private static final Set<String> WRITTEN_TO =
            Set.of("OutputStream", "Writer", "HttpServletResponse", "ServerHttpResponse", "ServerWebExchange");

    public HedgeKind() {
        super("hedge", dev.resilience.annotation.Hedge.class, "retry", HedgePolicy.defaults());
    }

    @Override
    public boolean repeats() {
        return true;
    }

    @Override
    public boolean isFixed(String key) {
        return key.equals("side-effect-free");
    }

    /** The retry budget of a policy's name is there for retries too. */
    @Override
    public void prepare(String name, HedgePolicy policy, KindContext context) {
        context.others(RetryBudgetKind.class).findOrCreate(name);
    }

    @Override
    public @Nullable Hedge create(String name, HedgePolicy policy, KindContext context) {
        RetryBudget retries = context.others(RetryBudgetKind.class).findOrCreate(name);
        TransactionState transactions =
                context.beans(TransactionState.class).getIfAvailable(() -> TransactionState.NONE);
        return retries == null ? null : new Hedge(name, policy, context.environmentWithWaits(), retries, transactions);
    }

    @Override
    protected Layer layer(Hedge hedge, ProtectedMethod<dev.resilience.annotation.Hedge> method) {
        method.uses(RetryBudgetKind.class, hedge.name());
        StartupProblems problems = new StartupProblems();
        String name = "The method " + MethodNames.full(method.method(), method.type()) + " is @Hedge and ";
        BiConsumer<String, String> refuse =
                (why, cure) -> problems.add(new ResilienceConfigurationException(name + why, cure));
        String orFree = " Or, if it changes nothing, set '" + PropertyNames.of(prefix(), hedge.name())
                + ".side-effect-free' to true.";
        boolean isIdempotent = method.annotation(Idempotent.class) != null && method.isInside("idempotent");
        boolean isFree = hedge.policy().sideEffectFree();
        if (method.annotation(Retryable.class) != null) {
            refuse.accept(
                    "is retried too, so that the attempts of both would multiply",
                    "Remove one of @Hedge and @Retryable, or set enabled = false on it if it is the type's.");
        }
        if (Stream.of(method.method().getParameterTypes())
                .anyMatch(type -> WRITTEN_TO.contains(type.getSimpleName()))) {
            refuse.accept(
                    "has a parameter to which it writes, so that the output of both attempts would be mixed",
                    "Return what it writes, or move @Hedge to a method that returns what is to be written.");
        }
        if (!isFree && !isIdempotent) {
            refuse.accept(
                    "may have an effect, which a second attempt would have again: it is not @Idempotent, or "
                            + "'resilience.order' has the hedge outside",
                    "Make it @Idempotent and pass IdempotencyContext.downstreamKeyOrNew() on." + orFree);
        } else if (!isFree && method.isTransactional()) {
            refuse.accept(
                    "is @Transactional: each attempt would have a transaction, and both might be committed",
                    "Move @Hedge to the method that calls the other service, outside the transaction." + orFree);
        }
        problems.throwIfAny();
        return hedge;
    }

    @Override
    public Map<String, Object> state(Hedge hedge) {
        Map<String, Object> state = new LinkedHashMap<>();
        Duration delay = hedge.delay();
        if (delay != null) {
            state.put("delay", delay.toString());
        }
        state.put("attempts", hedge.attempts());
        double calls = Math.max(1, hedge.calls().total());
        state.put("extraLoad", hedge.attempts() / calls);
        state.put("calls", hedge.calls().byLabel());
        return state;
    }

    @Override
    public void meters(Hedge hedge, Meters meters) {
        meters.outcomes(CALLS, hedge.calls());
        meters.counter(ATTEMPTS, hedge, Hedge::attempts);
        meters.gauge(DELAY, hedge, live -> {
            Duration delay = live.delay();
            return delay == null ? Double.NaN : delay.toNanos() / 1e9;
        });
    }
}
