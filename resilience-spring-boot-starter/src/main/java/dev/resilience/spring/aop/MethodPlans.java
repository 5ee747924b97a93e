package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The plans of all protected methods, by target class and method. All of them are resolved at startup; a class that
 * turns up later is resolved with its first call.
 *
 * <p>Looked up on every call, and so by identity first: a proxy passes the same {@link Method} object each time, while
 * {@link Method#equals} compares names and parameters. The map of these is replaced as a whole and never changed, so a
 * look-up needs neither a key object nor a lock.
 */
final class MethodPlans {

    /** Far above what proxies have. A caller with ever new method objects finds the plan by the longer way. */
    private static final int MAX_KNOWN = 1 << 12;

    private final ProtectedMethods methods;
    private final Supplier<PlanFactory> factory;
    final StartupProblems problems;
    private final @Nullable String bean;
    private final ConcurrentMap<String, MethodPlans> byBean = new ConcurrentHashMap<>();
    private final ConcurrentMap<Class<?>, ConcurrentMap<Method, MethodPlan>> byClass = new ConcurrentHashMap<>();
    private volatile IdentityHashMap<Method, Known> known = new IdentityHashMap<>();

    MethodPlans(
            ProtectedMethods methods, Supplier<PlanFactory> factory, StartupProblems problems, @Nullable String bean) {
        this.methods = methods;
        this.factory = factory;
        this.problems = problems;
        this.bean = bean;
    }

    /** The plans of one bean, for calls that its class does not tell from those of other beans. */
    MethodPlans forBean(String name, Class<?> type) {
        MethodPlans plans = byBean.computeIfAbsent(name, key -> new MethodPlans(methods, factory, problems, key));
        plans.byClass.computeIfAbsent(type, key -> new ConcurrentHashMap<>());
        return plans;
    }

    @Nullable
    MethodPlan plan(MethodInvocation invocation) {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return plan(invocation.getMethod(), type);
    }

    /** What proxies of one class share: a method object, with a plan for each class behind an interface. */
    private record Known(
            Class<?> type, MethodPlan plan, @Nullable Known next) {}

    /** The plan of a method as the proxy knows it; {@code null} if it is not protected. */
    @Nullable
    MethodPlan plan(Method method, Class<?> type) {
        for (Known found = known.get(method); found != null; found = found.next) {
            if (found.type == type) {
                return found.plan;
            }
        }
        ResilienceAnnotations protection = methods.of(method, type);
        if (protection == null) {
            return null;
        }
        MethodPlan plan = resolveForCall(method, type, protection);
        remember(method, type, plan);
        return plan;
    }

    /** A call that comes before all problems are found must not run as if there were none. */
    private MethodPlan resolveForCall(Method method, Class<?> type, ResilienceAnnotations protection) {
        MethodPlan plan;
        try {
            plan = resolve(method, type, protection);
        } catch (ResilienceConfigurationException problem) {
            throw problems.with(problem);
        }
        problems.throwIfAny();
        return plan;
    }

    private MethodPlan resolve(Method method, Class<?> type, ResilienceAnnotations protection) {
        Method specific = ProtectedMethods.specific(method, type);
        ConcurrentMap<Method, MethodPlan> plans = byClass.computeIfAbsent(type, key -> new ConcurrentHashMap<>());
        MethodPlan plan = plans.get(specific);
        if (plan == null) {
            if (bean == null && protection.has(Idempotent.class) && ProtectedMethods.isMadeAtRunTime(type)) {
                throw unknownBean(specific, type);
            }
            plan = factory.get().create(specific, type, protection, bean);
            MethodPlan earlier = plans.putIfAbsent(specific, plan);
            plan = earlier == null ? plan : earlier;
        }
        return plan;
    }

    private static ResilienceConfigurationException unknownBean(Method method, Class<?> type) {
        return new ResilienceConfigurationException(
                "The method " + MethodNames.full(method, ProtectedMethods.written(type, method))
                        + " is @Idempotent and belongs to a proxy or lambda that is no bean with a name of its own: its "
                        + "calls could not be told from those of another one, which would get their results",
                "Register it as a bean with a name, or write a class that implements the interface.");
    }

    private synchronized void remember(Method method, Class<?> type, MethodPlan plan) {
        if (known.size() < MAX_KNOWN) {
            IdentityHashMap<Method, Known> more = new IdentityHashMap<>(known);
            more.put(method, new Known(type, plan, more.get(method)));
            known = more;
        }
    }

    /** Resolves the plans of every class that is known to have protected methods; what cannot work is a problem. */
    void resolveAll() {
        PlanFactory plans = factory.get(); // finds the problems in the properties, even if no method is protected
        methods.refused()
                .forEach((type, found) -> found.forEach(
                        (method, protection) -> problems.collect(() -> plans.create(method, type, protection, bean))));
        methods.all().forEach((type, found) -> {
            boolean ofBeans = false;
            for (MethodPlans ofBean : byBean.values()) {
                if (ofBean.byClass.containsKey(type)) {
                    ofBean.resolveAll(type, found);
                    ofBeans = true;
                }
            }
            if (!ofBeans) {
                resolveAll(type, found);
            }
        });
    }

    private void resolveAll(Class<?> type, Map<Method, ResilienceAnnotations> found) {
        found.forEach((method, protection) -> problems.collect(() -> resolve(method, type, protection)));
    }
}
