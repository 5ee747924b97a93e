package dev.resilience.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.HalfOpen;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy.Window;
import dev.resilience.hedge.HedgePolicy;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.BackoffFunction;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every setting of a builder reaches the setting of that name, and no other. */
class PolicyBuildersTests {

    private static final Map<Class<?>, Object> OTHERS = Map.of(
            Duration.class,
            Duration.ofSeconds(31),
            String.class,
            "other",
            List.class,
            List.of(IllegalStateException.class),
            Set.class,
            Set.of(500),
            Window.class,
            new Window(Window.Type.COUNT, Duration.ofSeconds(7), 70),
            HalfOpen.class,
            new HalfOpen(7, 7, Duration.ofSeconds(7)),
            Predicate.class,
            (Predicate<Object>) "bad"::equals,
            BackoffFunction.class,
            (BackoffFunction) (attempt, failure, result) -> Duration.ZERO,
            Backoff.class,
            new Backoff(Backoff.Strategy.FIXED, Duration.ZERO, 3, Duration.ofDays(1), Jitter.NONE, 1));

    @ParameterizedTest(name = "{0}.{1}")
    @MethodSource("settings")
    void aSettingReachesItsOwnComponentAlone(String policy, String setting, Supplier<Object> builders)
            throws Exception {
        Map<String, Object> before = components(build(builders.get()));
        Method setter = setter(builders.get(), setting);
        Object value = other(before.get(setting), setter.getParameterTypes()[0], builders, setter);

        Map<String, Object> after = components(build(setter.invoke(builders.get(), value)));

        Map<String, Object> expected = new LinkedHashMap<>(before);
        expected.put(setting, value);
        assertThat(after).isEqualTo(expected).isNotEqualTo(before);
    }

    @Test
    void listsAndSetsAreCopied() {
        List<Class<? extends Throwable>> retryOn = new ArrayList<>();
        RetryPolicy policy = RetryPolicy.builder().retryOn(retryOn).build();

        retryOn.add(IllegalStateException.class);

        assertThat(policy.retryOn()).isEmpty();
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                        kind("retry", RetryPolicy::builder),
                        kind("backoff", () -> Backoff.builder().maxDelay(Duration.ofDays(1))),
                        kind("retry-budget", RetryBudgetPolicy::builder),
                        kind("circuit-breaker", CircuitBreakerPolicy::builder),
                        kind("bulkhead", () -> BulkheadPolicy.builder().type(BulkheadPolicy.Type.THREAD_POOL)),
                        kind("time-limit", TimeLimitPolicy::builder),
                        kind("hedge", HedgePolicy::builder),
                        kind("idempotency", IdempotencyPolicy::builder))
                .flatMap(settings -> settings);
    }

    private static Stream<Arguments> kind(String name, Supplier<Object> builders) {
        return Arrays.stream(build(builders.get()).getClass().getRecordComponents())
                .map(RecordComponent::getName)
                .filter(component ->
                        !component.equals("virtualThreads") || Runtime.version().feature() >= 21)
                .map(component -> Arguments.of(name, component, builders));
    }

    private static Method setter(Object builder, String name) {
        return Arrays.stream(builder.getClass().getMethods())
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == 1)
                .findFirst()
                .orElseThrow(() -> new AssertionError("The builder cannot set " + name));
    }

    /** A value that is not the default; of numbers the half, or where that is not allowed one more. */
    private static Object other(Object usual, Class<?> type, Supplier<Object> builders, Method setter)
            throws Exception {
        if (usual instanceof Boolean on) {
            return !on;
        }
        if (usual instanceof Integer number) {
            return number + 1;
        }
        if (usual instanceof Long number) {
            return number + 1;
        }
        if (usual instanceof Double number) {
            try {
                build(setter.invoke(builders.get(), number / 2));
                return number / 2;
            } catch (InvalidPolicyException tooSmall) {
                return number + 1;
            }
        }
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants())
                    .filter(constant -> constant != usual)
                    .findFirst()
                    .orElseThrow();
        }
        return OTHERS.get(type);
    }

    private static Object build(Object builder) {
        try {
            return builder.getClass().getMethod("build").invoke(builder);
        } catch (InvocationTargetException refused) {
            throw (RuntimeException) refused.getCause();
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError(impossible.getMessage(), impossible);
        }
    }

    private static Map<String, Object> components(Object policy) throws Exception {
        Map<String, Object> components = new LinkedHashMap<>();
        for (RecordComponent component : policy.getClass().getRecordComponents()) {
            components.put(component.getName(), component.getAccessor().invoke(policy));
        }
        return components;
    }
}
