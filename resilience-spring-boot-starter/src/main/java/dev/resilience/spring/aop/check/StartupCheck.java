package dev.resilience.spring.aop.check;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.AsyncExecutors;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;

/**
 * Resolves the plan of every protected method when all singletons are there, those of beans that are made later
 * included, and warns of what is protected differently from how it looks.
 */
public final class StartupCheck implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final ApplicationClasses application;
    private final ResilienceAdvisor advisor;
    private final StartupWarnings warnings;
    private final StartupMistakes mistakes;
    private final Set<Class<?>> types = new LinkedHashSet<>();
    private final Set<Class<?>> unprotected = new HashSet<>();
    private final SharedKeysCheck sharedKeys = new SharedKeysCheck();
    private boolean mocked;
    private boolean unknown;
    private boolean done;

    public StartupCheck(
            ConfigurableListableBeanFactory beans,
            ApplicationClasses application,
            ResilienceAdvisor advisor,
            StartupWarnings warnings,
            StartupMistakes mistakes) {
        this.beans = beans;
        this.application = application;
        this.advisor = advisor;
        this.warnings = warnings;
        this.mistakes = mistakes;
    }

    @Override
    public void afterSingletonsInstantiated() {
        run();
    }

    /**
     * Runs the check, once: it may be asked for before its turn has come.
     *
     * @throws ResilienceConfigurationException with every mistake in properties and annotations
     */
    public synchronized void run() {
        if (done) {
            mistakes.throwIfAny(); // caught before, in the middle of the startup
            return;
        }
        done = true;
        try {
            check();
        } catch (RuntimeException other) {
            if (mistakes.isEmpty() || other instanceof ResilienceConfigurationException) {
                throw other;
            }
            // comes of the mistakes, perhaps; they come first
        }
        mistakes.end();
    }

    private void check() {
        for (String name : beans.getBeanDefinitionNames()) {
            if (beans.containsSingleton(name)) {
                Object bean = beans.getSingleton(name);
                warnIfUnprotected(name, bean instanceof FactoryBean ? product(name) : bean);
            } else {
                lookAt(name, beans.getType(name, false));
            }
        }
        advisor.plans().resolveAll();
        OtherLibraries others = new OtherLibraries(beans, application, warnings);
        boolean areWoven = advisor.methods().areWoven();
        BeanMethodCheck beanMethods = new BeanMethodCheck(warnings, areWoven);
        SelfCallCheck selfCalls = new SelfCallCheck(application, warnings);
        WovenTransactionsCheck transactions = new WovenTransactionsCheck(beans, areWoven, warnings);
        AuthorizationCheck authorization = new AuthorizationCheck(beans, advisor);
        AsyncResultCheck asyncResults = new AsyncResultCheck(beans);
        advisor.methods().all().forEach((type, methods) -> {
            methods.forEach(
                    (method, protection) -> mistakes.collect(() -> authorization.check(type, method, protection)));
            methods.keySet().forEach(method -> mistakes.collect(() -> asyncResults.check(type, method)));
            others.warnOfSecondRetry(type, methods);
            beanMethods.check(type, methods);
            transactions.check(type, methods);
            if (!unprotected.contains(type) && !areWoven) {
                selfCalls.check(type, methods);
            }
        });
        types.forEach(others::warnOfIdle);
        sharedKeys.warn(warnings);
    }

    /**
     * Whether there may be protected methods that were not seen: those of beans that are made later and whose class is
     * not known yet, and of beans that tests have replaced by mocks. Known after {@link #run()}.
     */
    public synchronized boolean mayMissMethods() {
        return mocked || unknown;
    }

    /** What a factory makes of an annotated type: made now if it was not needed yet, to be looked at. */
    private @Nullable Object product(String name) {
        Class<?> type = beans.getType(name, false);
        boolean annotated = type != null && advisor.methods().areIn(type);
        return annotated && beans.isSingleton(name) ? beans.getBean(name) : null;
    }

    private void lookAt(String name, @Nullable Class<?> type) {
        if (type != null && !Modifier.isAbstract(type.getModifiers())) {
            advisor.methods().of(type);
            sharedKeys.add(name, ClassUtils.getUserClass(type), advisor.methods());
            types.add(ClassUtils.getUserClass(type));
        } else if (!beans.getMergedBeanDefinition(name).isAbstract() && (type == null || application.contains(type))) {
            unknown = true;
        }
    }

    /** A future tells how an asynchronous call ends; without one it has ended when an executor has taken it. */
    private void warnIfHandedOver(Advised bean, Class<?> type) {
        advisor.methods().of(type).forEach((method, protection) -> {
            if (method.getReturnType() == void.class && isMovedInside(bean, method, type)) {
                warnings.add("The method " + MethodNames.full(method, type) + " has " + protection
                        + " further out than @Async, so that handing it over to an executor is protected and its body "
                        + "is not. Let it return a CompletableFuture, or let the advice of @Async come first, as it does "
                        + "where @EnableAsync has neither an order nor 'mode = ASPECTJ'");
            }
        });
    }

    private boolean isMovedInside(Advised bean, Method method, Class<?> type) {
        return AsyncExecutors.areInside(bean, method, type)
                || (beans.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)
                        && (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                                || AnnotatedElementUtils.hasAnnotation(type, Async.class)));
    }

    private void warnIfUnprotected(String name, @Nullable Object bean) {
        if (bean == null || bean instanceof ScopedObject) {
            return;
        }
        if (MockDetector.isMock(bean)) {
            mocked = mocked || advisor.methods().areIn(bean.getClass());
            return;
        }
        boolean isProtected = bean instanceof Advised advised && ResilienceAdvisor.of(advised) != null;
        Class<?> type = ClassUtils.getUserClass(bean);
        Class<?> target = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        types.add(target);
        if (isProtected) {
            sharedKeys.add(name, target, advisor.methods());
            warnIfHandedOver((Advised) bean, target);
        }
        if (!isProtected
                && !advisor.methods().areWoven()
                && !(bean instanceof Advised)
                && !advisor.methods().of(type).isEmpty()) {
            unprotected.add(type);
            warnings.add(
                    "The bean '" + name + "' of " + type.getName() + " has annotated methods but no proxy, so they are "
                            + "not protected: it was made before proxies could be, or 'spring.aop.auto' is false");
        }
    }
}
