package dev.resilience.spring.aop.method;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.kind.Kinds;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Which methods of which classes are protected, found once a class. A class whose annotations cannot work is found out
 * at the first look, which is when its bean is made: that is sooner than a proxy could be. It fails the startup, or, after
 * the startup, the bean.
 */
public final class ProtectedMethods {

    private final InterceptionRules rules;
    private final StartupMistakes mistakes;
    private final Supplier<Kinds> kinds;
    private volatile @Nullable Kinds known;
    private final ConcurrentMap<Class<?>, Map<Method, ResilienceAnnotations>> byClass = new ConcurrentHashMap<>();
    private final ConcurrentMap<Class<?>, Map<Method, ResilienceAnnotations>> lookedAt = new ConcurrentHashMap<>();
    private final Map<Class<?>, Map<Method, ResilienceAnnotations>> refused = new ConcurrentHashMap<>();

    /**
     * @param proxyTargetClass whether proxies are subclasses even where a bean has interfaces
     * @param mistakes keeps the methods that a proxy cannot intercept
     * @param kinds whose annotations protect methods, asked for with the first class
     */
    public ProtectedMethods(boolean proxyTargetClass, StartupMistakes mistakes, Supplier<Kinds> kinds) {
        this(new ProxyRules(proxyTargetClass), mistakes, kinds);
    }

    private ProtectedMethods(InterceptionRules rules, StartupMistakes mistakes, Supplier<Kinds> kinds) {
        this.rules = rules;
        this.mistakes = mistakes;
        this.kinds = kinds;
    }

    /** Those of classes that AspectJ weaves: no proxy is made for them. */
    public static ProtectedMethods woven(StartupMistakes mistakes, Supplier<Kinds> kinds) {
        return new ProtectedMethods(new WovenRules(), mistakes, kinds);
    }

    /** Whether AspectJ weaves their classes. */
    public boolean areWoven() {
        return rules instanceof WovenRules;
    }

    /** The protected methods of a class, each as its most specific implementation. */
    public Map<Method, ResilienceAnnotations> of(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Map<Method, ResilienceAnnotations> known = byClass.get(userClass);
        if (known == null) {
            Kinds all = kindsIfMade();
            known = all == null ? Map.of() : byClass.computeIfAbsent(userClass, key -> in(key, all));
        }
        return known;
    }

    /** Kept once they are made, because a bean factory looks through all beans each time. */
    private Kinds kinds() {
        Kinds all = known;
        if (all == null) {
            all = kinds.get();
            known = all;
        }
        return all;
    }

    /** What a kind is made with comes before all kinds, and cannot be protected by them. */
    private @Nullable Kinds kindsIfMade() {
        try {
            return kinds();
        } catch (BeanCurrentlyInCreationException beingMade) {
            return null;
        }
    }

    /** Whether a type has protected methods; asked of types that may not be those of a bean in the end. */
    public boolean areIn(Class<?> type) {
        return !in(type).isEmpty();
    }

    /** As {@link #of(Class)}, for types that may not be those of a bean in the end. */
    public Map<Method, ResilienceAnnotations> in(Class<?> type) {
        return in(ClassUtils.getUserClass(type), kinds());
    }

    private Map<Method, ResilienceAnnotations> in(Class<?> userClass, Kinds all) {
        return lookedAt.computeIfAbsent(userClass, key -> find(key, all));
    }

    /** Whether a type has idempotent methods. */
    public boolean areIdempotentIn(Class<?> type) {
        return of(type).values().stream().anyMatch(protection -> protection.has(Idempotent.class));
    }

    /** Every class that was looked at and has protected methods. */
    public Map<Class<?>, Map<Method, ResilienceAnnotations>> all() {
        Map<Class<?>, Map<Method, ResilienceAnnotations>> all = new HashMap<>(byClass);
        all.values().removeIf(Map::isEmpty);
        return all;
    }

    /** The methods that no proxy can intercept, by class: what their annotations say may be wrong as well. */
    public Map<Class<?>, Map<Method, ResilienceAnnotations>> refused() {
        return refused;
    }

    public boolean areRefusedIn(Class<?> type) {
        return !refused.isEmpty() && refused.containsKey(ClassUtils.getUserClass(type));
    }

    @Nullable
    public ResilienceAnnotations of(Method method, Class<?> type) {
        Map<Method, ResilienceAnnotations> methods = of(type);
        ResilienceAnnotations found = methods.get(method); // a most specific one, for the most part
        return found != null || methods.isEmpty() ? found : methods.get(specific(method, type));
    }

    /** The method that runs in the end: of the class rather than of its interface, and not a bridge. */
    public static Method specific(Method method, Class<?> type) {
        return isMadeAtRunTime(type)
                ? specificInInterfaces(method, type)
                : AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(type));
    }

    /**
     * A proxy that is called through a general interface, {@code Repository<Order>.save(T)}, gets the method of that
     * interface, or the bridge to the one with {@code Order} in it, which may have the annotation.
     */
    private static Method specificInInterfaces(Method method, Class<?> type) {
        for (Class<?> implemented : type.getInterfaces()) {
            if (method.getDeclaringClass().isAssignableFrom(implemented)) {
                Method known = ReflectionUtils.findMethod(implemented, method.getName(), method.getParameterTypes());
                return known == null ? method : BridgeMethodResolver.findBridgedMethod(known);
            }
        }
        return method;
    }

    /**
     * The class in the source, for names that are the same after every start: for an interface proxy the
     * interface.
     */
    public static Class<?> written(Class<?> type, Method method) {
        if (!isMadeAtRunTime(type)) {
            return ClassUtils.getUserClass(type);
        }
        Class<?> declaring = method.getDeclaringClass();
        return Arrays.stream(type.getInterfaces())
                .filter(declaring::isAssignableFrom)
                .findFirst()
                .orElse(declaring);
    }

    /**
     * Whether the class is an interface's proxy or a lambda: it has no annotations, and Spring makes a proxy of its
     * interface.
     */
    public static boolean isMadeAtRunTime(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }

    private Map<Method, ResilienceAnnotations> find(Class<?> type, Kinds kinds) {
        if (!AnnotationUtils.isCandidateClass(type, kinds.annotations())
                || !ResilienceAnnotations.areWrittenIn(type, kinds)) {
            return Map.of();
        }
        Map<Method, ResilienceAnnotations> found = new HashMap<>();
        if (isMadeAtRunTime(type)) {
            for (Class<?> implemented : type.getInterfaces()) {
                collect(implemented, implemented, kinds, found);
            }
        } else {
            collect(type, type, kinds, found);
        }
        found.entrySet().removeIf(one -> {
            boolean isRefused = isRefused(one.getKey(), type, one.getValue());
            if (isRefused) {
                refused.computeIfAbsent(type, key -> new ConcurrentHashMap<>()).put(one.getKey(), one.getValue());
            }
            return isRefused;
        });
        return found.isEmpty() ? Map.of() : Collections.unmodifiableMap(found);
    }

    /** A method that no proxy can intercept is a mistake; a proxy that were tried all the same would fail first. */
    private boolean isRefused(Method method, Class<?> type, ResilienceAnnotations protection) {
        try {
            rules.check(method, type, protection);
            return false;
        } catch (ResilienceConfigurationException mistake) {
            mistakes.add(mistake);
            return true;
        }
    }

    private static void collect(Class<?> type, Class<?> target, Kinds kinds, Map<Method, ResilienceAnnotations> found) {
        MergedAnnotations onType = ResilienceAnnotations.onType(target);
        ReflectionUtils.doWithMethods(
                type,
                method -> {
                    ResilienceAnnotations protection = ResilienceAnnotations.of(method, target, onType, kinds);
                    if (protection != null && (protection.onMethod() || ProxyRules.isService(method, target))) {
                        found.put(method, protection);
                    }
                },
                method -> isMostSpecific(method, target));
    }

    private static boolean isMostSpecific(Method method, Class<?> type) {
        return method.getDeclaringClass() != Object.class
                && !method.isSynthetic()
                && specific(method, type).equals(method);
    }
}
