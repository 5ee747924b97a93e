package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.weaving.ResilienceAspect;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Which methods of which classes are protected, found once a class. A class whose annotations cannot work is found out
 * at the first look, which is when its bean is made: that is sooner than a proxy could be. It fails the startup, or, after
 * the startup, the bean.
 */
public final class ProtectedMethods {

    /** Annotations of others that are easily taken for this library's, with the bean that enables each. */
    static final Map<String, String> LOOK_ALIKES = Map.of(
            "org.springframework.resilience.annotation.Retryable",
            "org.springframework.resilience.annotation.RetryAnnotationBeanPostProcessor",
            "org.springframework.retry.annotation.Retryable",
            "org.springframework.retry.annotation.RetryConfiguration");

    private final @Nullable ProxyRules proxies;
    private final StartupProblems problems;
    private final Supplier<Kinds> kinds;
    private final Supplier<List<Class<? extends Annotation>>> annotations;
    private final Bindings bindings;
    private volatile @Nullable AnnotatedTypes annotatedTypes;
    private final ConcurrentMap<Class<?>, Map<Method, ResilienceAnnotations>> byClass = new ConcurrentHashMap<>();
    private final ConcurrentMap<Class<?>, Map<Method, ResilienceAnnotations>> lookedAt = new ConcurrentHashMap<>();
    private final Map<Class<?>, Map<Method, ResilienceAnnotations>> refused = new ConcurrentHashMap<>();

    /**
     * @param proxies {@code null} if AspectJ weaves the classes, and no proxy is made for them
     * @param problems keeps the methods that a proxy cannot intercept
     * @param kinds asked for with the first class that has one of the annotations
     * @param annotations those of the kinds, asked for with the first class
     * @param bindings what is protected besides
     */
    public ProtectedMethods(
            @Nullable ProxyRules proxies,
            StartupProblems problems,
            Supplier<Kinds> kinds,
            Supplier<List<Class<? extends Annotation>>> annotations,
            Bindings bindings) {
        this.proxies = proxies;
        this.problems = problems;
        this.kinds = kinds;
        this.annotations = annotations;
        this.bindings = bindings;
    }

    /** What is protected without annotations. */
    public Bindings bindings() {
        return bindings;
    }

    /** Whether AspectJ weaves their classes. */
    public boolean areWoven() {
        return proxies == null;
    }

    /** The protected methods of a class, each as its most specific implementation. */
    public Map<Method, ResilienceAnnotations> of(Class<?> type) {
        try {
            Map<Method, ResilienceAnnotations> found = in(type);
            if (!found.isEmpty()) {
                byClass.putIfAbsent(ClassUtils.getUserClass(type), found);
            }
            return found;
        } catch (BeanCurrentlyInCreationException beingMade) {
            return Map.of(); // what a kind is made with comes before all kinds, and cannot be protected by them
        }
    }

    /** As {@link #of(Class)}, for types that may not be those of a bean in the end. */
    public Map<Method, ResilienceAnnotations> in(Class<?> type) {
        Class<?> userClass = ClassUtils.getUserClass(type);
        Map<Method, ResilienceAnnotations> known = lookedAt.get(userClass);
        if (known == null) {
            boolean hasAny = annotatedTypes().contains(userClass)
                    || sources(userClass).stream().anyMatch(each -> bindings.mayProtect(each, kinds));
            known = hasAny ? find(userClass, kinds.get()) : Map.of();
            Map<Method, ResilienceAnnotations> earlier = lookedAt.putIfAbsent(userClass, known);
            known = earlier == null ? known : earlier;
        }
        return known;
    }

    /** Whether a type has protected methods; asked of types that may not be those of a bean in the end. */
    public boolean areIn(Class<?> type) {
        return !in(type).isEmpty();
    }

    private AnnotatedTypes annotatedTypes() {
        AnnotatedTypes types = annotatedTypes;
        if (types == null) {
            types = new AnnotatedTypes(annotations.get());
            annotatedTypes = types;
        }
        return types;
    }

    /** Whether a type has idempotent methods. */
    public boolean areIdempotentIn(Class<?> type) {
        return of(type).values().stream().anyMatch(protection -> protection.has(Idempotent.class));
    }

    /** Every class that was looked at and has protected methods. */
    public Map<Class<?>, Map<Method, ResilienceAnnotations>> all() {
        return byClass;
    }

    /** Whether no class with annotated methods was looked at, nor one with annotations that look like this library's. */
    public boolean areNone() {
        return byClass.isEmpty() && refused.isEmpty() && lookAlikes().isEmpty();
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
        Map<Method, ResilienceAnnotations> found = new HashMap<>();
        sources(type).forEach(source -> collect(source, kinds, found));
        found.entrySet().removeIf(one -> isRefused(one.getKey(), type, one.getValue()));
        return found.isEmpty() ? Map.of() : Collections.unmodifiableMap(found);
    }

    /** A method that no proxy can intercept is a problem; a proxy that were tried all the same would fail first. */
    private boolean isRefused(Method method, Class<?> type, ResilienceAnnotations protection) {
        ProxyRules.Refusal refusal = proxies == null
                ? ProxyRules.WovenRules.refusal(method, type, protection)
                : proxies.refusal(method, type, protection);
        if (refusal != null) {
            problems.add(refusal.of(method, type, protection));
            refused.computeIfAbsent(type, key -> new ConcurrentHashMap<>()).put(method, protection);
        }
        return refusal != null;
    }

    /** Annotations of others that are easily taken for this library's, on the classes that were looked at. */
    public Map<AnnotatedElement, String> lookAlikes() {
        AnnotatedTypes types = annotatedTypes;
        return types == null ? Map.of() : types.lookAlikes();
    }

    /** The types in which the methods of a class are written. */
    private static List<Class<?>> sources(Class<?> type) {
        return isMadeAtRunTime(type) ? List.of(type.getInterfaces()) : List.of(type);
    }

    private void collect(Class<?> target, Kinds kinds, Map<Method, ResilienceAnnotations> found) {
        boolean mayBeBound = bindings.mayProtect(target, () -> kinds);
        Map<Class<? extends Annotation>, Bindings.Bound> ofType = ResilienceAnnotations.onType(target, kinds);
        ReflectionUtils.doWithMethods(
                target,
                method -> {
                    boolean isBound = mayBeBound && isCovered(method, target);
                    ResilienceAnnotations protection = ResilienceAnnotations.of(
                            method, target, isBound ? bindings.below(ofType, method, target) : ofType, kinds);
                    if (protection != null && (protection.onMethod() || isCovered(method, target))) {
                        found.put(method, protection);
                    }
                },
                method -> isMostSpecific(method, target));
    }

    /** Whether annotations of the type hold for the method. */
    private boolean isCovered(Method method, Class<?> type) {
        boolean isReached = proxies == null
                ? Modifier.isPublic(method.getModifiers()) || ResilienceAspect.isFor(method)
                : proxies.isReached(method, type);
        return isReached && ProxyRules.isService(method, type);
    }

    private static boolean isMostSpecific(Method method, Class<?> type) {
        return method.getDeclaringClass() != Object.class
                && !method.isSynthetic()
                && specific(method, type).equals(method);
    }

    /** Whether the type comes from a jar of the library; some class loaders do not tell where types come from. */
    static boolean isOwn(Class<?> type) {
        if (!type.getName().startsWith("dev.resilience.")) {
            return false;
        }
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source != null
                && source.getLocation() != null
                && Stream.of(ProtectedMethods.class, Idempotent.class)
                        .anyMatch(own -> source.equals(own.getProtectionDomain().getCodeSource()));
    }

    /**
     * Which types have annotations of the kinds in their source, or extend one that does. Asked for the class of every bean, so
     * each type and each annotation is looked at once, however many beans share them.
     */
    private static final class AnnotatedTypes {

        private final List<Class<? extends Annotation>> annotations;
        private final Map<Class<?>, Boolean> types = new ConcurrentHashMap<>();
        private final Map<Class<? extends Annotation>, Boolean> marks = new ConcurrentHashMap<>();
        private final Map<AnnotatedElement, String> lookAlikes = new ConcurrentHashMap<>();

        AnnotatedTypes(List<Class<? extends Annotation>> annotations) {
            this.annotations = annotations;
        }

        boolean contains(Class<?> type) {
            if (type.getName().startsWith("java.") || isOwn(type)) {
                return false;
            }
            Boolean known = types.get(type);
            if (known == null) {
                known = look(type);
                types.put(type, known);
            }
            return known;
        }

        private boolean look(Class<?> type) {
            boolean found = isMarked(type);
            for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
                found |= isMarked(method);
            }
            for (Class<?> implemented : type.getInterfaces()) {
                found |= contains(implemented);
            }
            Class<?> superclass = type.getSuperclass();
            return found || (superclass != null && contains(superclass));
        }

        private boolean isMarked(AnnotatedElement element) {
            boolean found = false;
            for (Annotation annotation : element.getDeclaredAnnotations()) {
                Class<? extends Annotation> type = annotation.annotationType();
                found |= marks.computeIfAbsent(type, this::isMark);
                if (LOOK_ALIKES.containsKey(type.getName())) {
                    lookAlikes.put(element, type.getName());
                }
            }
            return found;
        }

        private boolean isMark(Class<? extends Annotation> type) {
            MergedAnnotations meta = MergedAnnotations.from(type);
            return annotations.contains(type) || annotations.stream().anyMatch(meta::isPresent);
        }

        /** Where an annotation stands that looks like one of this library's, with its name. */
        Map<AnnotatedElement, String> lookAlikes() {
            return lookAlikes;
        }
    }
}
