package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The plans of all protected methods, by target class and method. All of them are resolved at startup; a class that
 * turns up later is resolved with its first call.
 *
 * <p>Looked up on every call, and so by identity first: a proxy passes the same {@link Method} object each time, while
 * {@link Method#equals} compares names and parameters. A table that is replaced as a whole, never changed, and probed
 * from the method's identity hash on, needs neither a key object nor a lock.
 */
public final class MethodPlans {

    /** Far above what proxies have. A caller with ever new method objects finds the plan by the longer way. */
    private static final int MOST_KNOWN = 1 << 14;

    private final ProtectedMethods methods;
    private final ObjectProvider<PlanFactory> factory;
    private final StartupMistakes mistakes;
    private final @Nullable String bean;
    private final ConcurrentMap<String, MethodPlans> byBean = new ConcurrentHashMap<>();
    private final ConcurrentMap<Class<?>, ConcurrentMap<Method, MethodPlan>> byClass = new ConcurrentHashMap<>();
    private volatile @Nullable Known[] table = new Known[64]; // its length a power of two, at least half of it empty
    private int known;

    MethodPlans(ProtectedMethods methods, ObjectProvider<PlanFactory> factory, StartupMistakes mistakes) {
        this(methods, factory, mistakes, null);
    }

    private MethodPlans(
            ProtectedMethods methods,
            ObjectProvider<PlanFactory> factory,
            StartupMistakes mistakes,
            @Nullable String bean) {
        this.methods = methods;
        this.factory = factory;
        this.mistakes = mistakes;
        this.bean = bean;
    }

    /** The plans of one bean, for calls that its class does not tell from those of other beans. */
    MethodPlans forBean(String name, Class<?> type) {
        MethodPlans plans = byBean.computeIfAbsent(name, key -> new MethodPlans(methods, factory, mistakes, key));
        plans.byClass.computeIfAbsent(type, key -> new ConcurrentHashMap<>());
        return plans;
    }

    @Nullable
    MethodPlan plan(MethodInvocation invocation) {
        Object target = invocation.getThis();
        Class<?> type = target == null ? invocation.getMethod().getDeclaringClass() : target.getClass();
        return plan(invocation.getMethod(), type);
    }

    private record Known(Method method, Class<?> type, MethodPlan plan) {}

    /** The plan of a method as the proxy knows it; {@code null} if it is not protected. */
    @SuppressWarnings("ReferenceEquality") // an equal object that is not the same is looked up the longer way
    @Nullable
    MethodPlan plan(Method method, Class<?> type) {
        @Nullable Known[] now = table;
        int last = now.length - 1;
        int place = System.identityHashCode(method) & last;
        for (Known found = now[place]; found != null; found = now[place]) {
            if (found.method == method && found.type == type) {
                return found.plan;
            }
            place = (place + 1) & last;
        }
        return resolveAndRemember(method, type);
    }

    private @Nullable MethodPlan resolveAndRemember(Method method, Class<?> type) {
        ResilienceAnnotations protection = methods.of(method, type);
        if (protection == null) {
            return null;
        }
        MethodPlan plan = resolveForCall(method, type, protection);
        remember(new Known(method, type, plan));
        return plan;
    }

    /** A call that comes before all mistakes are found must not run as if there were none. */
    private MethodPlan resolveForCall(Method method, Class<?> type, ResilienceAnnotations protection) {
        MethodPlan plan;
        try {
            plan = resolve(method, type, protection);
        } catch (ResilienceConfigurationException mistake) {
            throw mistakes.with(mistake);
        }
        mistakes.throwIfAny();
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
            plan = factory.getObject().create(specific, type, protection, bean);
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

    private synchronized void remember(Known found) {
        if (known == MOST_KNOWN) {
            return;
        }
        @Nullable Known[] before = table;
        known++;
        @Nullable Known[] after = new Known[known * 2 > before.length ? before.length * 2 : before.length];
        for (Known one : before) {
            if (one != null) {
                put(after, one);
            }
        }
        put(after, found); // twice, if two threads came with the same one: the first is found
        table = after;
    }

    private static void put(@Nullable Known[] table, Known one) {
        int place = System.identityHashCode(one.method) & (table.length - 1);
        while (table[place] != null) {
            place = (place + 1) & (table.length - 1);
        }
        table[place] = one;
    }

    /** Resolves the plans of every class that is known to have protected methods; what cannot work is a mistake. */
    public void resolveAll() {
        PlanFactory plans = factory.getObject(); // finds the mistakes in the properties, even if no method is protected
        methods.refused()
                .forEach((type, found) -> found.forEach(
                        (method, protection) -> mistakes.collect(() -> plans.create(method, type, protection, bean))));
        methods.all()
                .forEach((type, found) -> knowing(type)
                        .forEach(each -> found.forEach((method, protection) ->
                                mistakes.collect(() -> each.resolve(method, type, protection)))));
    }

    /** Those of the beans that the class does not tell apart, or else these. */
    private List<MethodPlans> knowing(Class<?> type) {
        List<MethodPlans> ofBeans = byBean.values().stream()
                .filter(plans -> plans.byClass.containsKey(type))
                .toList();
        return ofBeans.isEmpty() ? List.of(this) : ofBeans;
    }
}
