package dev.resilience.spring.aop;

import java.lang.reflect.Method;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The plans of all protected methods, by target class and method. All of them are resolved at startup; a class that
 * turns up later is resolved with its first call.
 *
 * <p>Looked up on every call: two concurrent maps in a row, because a key of both would be an allocation a call.
 */
final class MethodPlans {

    private final ProtectedMethods methods;
    private final ObjectProvider<PlanFactory> factory;
    private final ConcurrentMap<Class<?>, ConcurrentMap<Method, MethodPlan>> byClass = new ConcurrentHashMap<>();

    MethodPlans(ProtectedMethods methods, ObjectProvider<PlanFactory> factory) {
        this.methods = methods;
        this.factory = factory;
    }

    /** The plan of a method as the proxy knows it; {@code null} if it is not protected. */
    @Nullable
    MethodPlan plan(Method method, Class<?> type) {
        ConcurrentMap<Method, MethodPlan> plans = byClass.get(type);
        MethodPlan plan = plans == null ? null : plans.get(method);
        return plan != null ? plan : resolve(method, type);
    }

    private @Nullable MethodPlan resolve(Method method, Class<?> type) {
        Protection protection = methods.of(method, type);
        if (protection == null) {
            return null;
        }
        Method specific = ProtectedMethods.specific(method, type);
        ConcurrentMap<Method, MethodPlan> plans = byClass.computeIfAbsent(type, key -> new ConcurrentHashMap<>());
        MethodPlan plan = plans.get(specific);
        if (plan == null) {
            plan = factory.getObject().create(specific, type, protection);
            MethodPlan earlier = plans.putIfAbsent(specific, plan);
            plan = earlier == null ? plan : earlier;
        }
        plans.put(method, plan);
        return plan;
    }

    /** Resolves the plans of every class that is known to have protected methods. */
    void resolveAll() {
        methods.all().forEach((type, found) -> found.keySet().forEach(method -> resolve(method, type)));
    }
}
