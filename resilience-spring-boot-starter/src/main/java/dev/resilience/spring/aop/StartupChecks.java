package dev.resilience.spring.aop;

import static dev.resilience.spring.WarningId.BEAN_WITHOUT_PROXY;
import static dev.resilience.spring.WarningId.SHARED_KEYS;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * What happens once all singletons are there, in this order: listeners are registered, the plan of every protected method is
 * resolved, those of beans that are made later included, and what works differently from how it looks is warned about.
 */
public final class StartupChecks implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final ResilienceAdvisor advisor;
    private final StartupWarnings warnings;
    private final BooleanSupplier needed;
    private final Runnable before;
    private final Runnable after;
    private final Map<Class<?>, Set<String>> idempotentBeans = new LinkedHashMap<>();
    private boolean unknown;
    private boolean done;

    /**
     * @param needed whether anything is protected or configured: nothing is checked otherwise
     * @param before what comes first
     * @param after what comes last, unless there may be protected methods that were not seen: those of beans that are made
     *     later and whose class is not known yet
     */
    public StartupChecks(
            ConfigurableListableBeanFactory beans,
            ResilienceAdvisor advisor,
            StartupWarnings warnings,
            BooleanSupplier needed,
            Runnable before,
            Runnable after) {
        this.beans = beans;
        this.advisor = advisor;
        this.warnings = warnings;
        this.needed = needed;
        this.before = before;
        this.after = after;
    }

    @Override
    public void afterSingletonsInstantiated() {
        before.run();
        run();
        if (!unknown && needed.getAsBoolean()) {
            after.run();
        }
    }

    /**
     * Resolves and checks, once: it may be asked for before its turn has come.
     *
     * @throws ResilienceConfigurationException with every problem in properties and annotations
     */
    public synchronized void run() {
        if (done) {
            advisor.problems().throwIfAny(); // caught before, in the middle of the startup
            return;
        }
        done = true;
        try {
            check();
        } catch (RuntimeException other) {
            if (advisor.problems().isEmpty() || other instanceof ResilienceConfigurationException) {
                throw other;
            }
            // comes of the problems, perhaps; they come first
        }
        advisor.problems().end();
    }

    private void check() {
        for (String name : beans.getBeanDefinitionNames()) {
            Object bean = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
            if (bean == null) {
                lookAt(name, beans.getType(name, false));
            } else {
                warnIfUnprotected(name, bean instanceof FactoryBean ? product(name) : bean);
            }
        }
        if (!needed.getAsBoolean()) {
            return;
        }
        advisor.plans().resolveAll();
        MethodChecks checks = MethodChecks.of(beans, advisor, warnings);
        SelfInvocationCheck selfInvocations = new SelfInvocationCheck(warnings);
        advisor.methods().all().forEach((type, methods) -> {
            methods.forEach((method, protection) -> checks.check(type, method, protection));
            if (!advisor.methods().areWoven()) {
                selfInvocations.check(type, methods);
            }
        });
        checks.warnOfIdleLookAlikes();
        advisor.methods().bindings().warnOfIdle(warnings);
        idempotentBeans.forEach(this::warnOfSharedKeys);
    }

    /** Several beans of one class with idempotent methods share its keys, because a key is unique within the class. */
    private void warnOfSharedKeys(Class<?> type, Set<String> names) {
        if (names.size() > 1) {
            warnings.add(SHARED_KEYS.of("The beans '" + String.join("', '", names) + "' are all of " + type.getName()
                    + ", whose idempotent methods have keys that are unique within the class: a call of one bean gets "
                    + "the result of the other's call with an equal key. If they do different things, put what tells "
                    + "them apart into the key, or give each a class of its own"));
        }
    }

    /** Notes a bean that is no scoped proxy. */
    private void noteIfIdempotent(String bean, Class<?> type) {
        if (!ProtectedMethods.isMadeAtRunTime(type) && advisor.methods().areIdempotentIn(type)) {
            String name = ScopedProxyUtils.isScopedTarget(bean) ? ScopedProxyUtils.getOriginalBeanName(bean) : bean;
            idempotentBeans.computeIfAbsent(type, key -> new TreeSet<>()).add(name);
        }
    }

    /** What a factory makes of an annotated type: made now if it was not needed yet, to be looked at. */
    private @Nullable Object product(String name) {
        Class<?> type = beans.getType(name, false);
        boolean annotated = type != null && advisor.methods().areIn(type);
        return annotated && beans.isSingleton(name) ? beans.getBean(name) : null;
    }

    private void lookAt(String name, @Nullable Class<?> type) {
        if (type != null && !Modifier.isAbstract(type.getModifiers())) {
            if (!advisor.methods().of(type).isEmpty()) { // known from then on
                noteIfIdempotent(name, ClassUtils.getUserClass(type));
            }
        } else if (!beans.getMergedBeanDefinition(name).isAbstract()
                && !isOfFramework(type)
                && !name.startsWith("resilience")) {
            unknown = true;
        }
    }

    private static boolean isOfFramework(@Nullable Class<?> type) {
        return type != null
                && (type.getName().startsWith("java.") || type.getName().startsWith("org.springframework."));
    }

    /** A bean without a proxy keeps its plans unresolved: a mock in the place of a bean has none, and needs none. */
    private void warnIfUnprotected(String name, @Nullable Object bean) {
        if (bean instanceof ScopedObject || bean == null) {
            return;
        }
        ProtectedMethods methods = advisor.methods();
        if (bean instanceof Advised advised) {
            if (ResilienceAdvisor.of(advised) != null) {
                noteIfIdempotent(name, ClassUtils.getUserClass(AopUtils.getTargetClass(bean)));
            }
        } else if (!methods.areWoven() && methods.areIn(bean.getClass())) {
            warnings.add(BEAN_WITHOUT_PROXY.of("The bean '" + name + "' of "
                    + ClassUtils.getUserClass(bean).getName()
                    + " has annotated methods but no proxy, so they are not protected: it was made before proxies "
                    + "could be, or 'spring.aop.auto' is false"));
        }
    }
}
