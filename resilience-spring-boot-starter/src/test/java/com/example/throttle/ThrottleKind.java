package com.example.throttle;

import dev.resilience.spring.kind.Action;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import java.time.Duration;
import java.util.List;
import java.util.Map;

public final class ThrottleKind extends ConfiguredKind<Throttled, ThrottlePolicy, Throttle> {

    private static final MeterFamily REFUSED =
            new MeterFamily("throttle.refused", "calls", "Calls that the throttle has refused");
    private static final MeterFamily LIMIT =
            new MeterFamily("throttle.limit", "calls", "Calls that the throttle lets through in a period");

    public ThrottleKind() {
        super("throttle", Throttled.class, "bulkhead", new ThrottlePolicy(10, Duration.ofSeconds(1)));
    }

    @Override
    public Throttle create(String name, ThrottlePolicy policy, KindContext context) {
        return new Throttle(name, policy, context.time());
    }

    @Override
    public Map<String, Object> state(Throttle throttle) {
        return Map.of("refused", throttle.refused.sum());
    }

    @Override
    public void meters(Throttle throttle, Meters meters) {
        meters.counter(REFUSED, throttle, t -> t.refused.sum());
        meters.gauge(LIMIT, throttle, t -> t.policy().maxCalls());
    }

    @Override
    public List<String> actions() {
        return List.of("restart");
    }

    @Override
    public Map<String, Object> act(Throttle throttle, Action action) {
        throttle.restart();
        return null;
    }
}
