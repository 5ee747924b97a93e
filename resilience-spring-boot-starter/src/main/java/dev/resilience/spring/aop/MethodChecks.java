package dev.resilience.spring.aop;

import static dev.resilience.spring.WarningId.ANNOTATION_ON_BEAN_METHOD;
import static dev.resilience.spring.WarningId.ANNOTATION_ON_CALLBACK;
import static dev.resilience.spring.WarningId.OTHER_RETRYABLE;
import static dev.resilience.spring.WarningId.RETRY_INSIDE_RETRY;
import static dev.resilience.spring.WarningId.RETRY_IN_TRANSACTION;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SpringAnnotations;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * What is looked at in each protected method at startup: what cannot work fails it, what looks different from how it works is warned
 * about.
 *
 * @param hasAsync whether something enables {@code @Async}; asked once, because Spring looks at all beans for it
 * @param authorizing advisors that decide inside this library's advice who may call a method; found once, and only if they matter
 */
record MethodChecks(
        ConfigurableListableBeanFactory beans,
        ResilienceAdvisor advisor,
        StartupWarnings warnings,
        boolean hasAsync,
        Supplier<List<PointcutAdvisor>> authorizing) {

    /** As Spring calls it. */
    private static final String WOVEN_TRANSACTIONS = "org.springframework.transaction.config.internalTransactionAspect";

    /** Known by name, because an application need not have Spring Security. */
    private static final String AUTHORIZATION =
            "org.springframework.security.authorization.method.AuthorizationAdvisor";

    static MethodChecks of(ConfigurableListableBeanFactory beans, ResilienceAdvisor advisor, StartupWarnings warnings) {
        boolean hasAsync = beans.containsBean(TaskManagementConfigUtils.ASYNC_ANNOTATION_PROCESSOR_BEAN_NAME)
                || beans.getBeanNamesForType(AsyncAnnotationAdvisor.class, true, false).length > 0;
        Supplier<List<PointcutAdvisor>> authorizing =
                SingletonSupplier.of(() -> beans.getBeansOfType(PointcutAdvisor.class, true, false).values().stream()
                        .filter(other -> other instanceof Ordered inner && inner.getOrder() >= advisor.getOrder())
                        .filter(MethodChecks::authorizes)
                        .toList());
        return new MethodChecks(beans, advisor, warnings, hasAsync, authorizing);
    }

    void check(Class<?> type, Method method, ResilienceAnnotations protection) {
        warnIfContainerCalls(type, method, protection);
        if (protection.has(Retryable.class)) {
            warnIfRetriedTwice(type, method);
            warnIfAttemptsShareTransaction(type, method, protection);
        }
        if (hasAsync && SpringAnnotations.isAsync(method, type)) {
            advisor.problems().collect(() -> requireHandedOver(method, type));
        }
        if (protection.has(Idempotent.class)) {
            advisor.problems().collect(() -> requireOuterAuthorization(type, method));
        }
    }

    /**
     * Annotations on {@code @Bean} methods and configuration classes protect the one call that makes the bean, and none of the bean's
     * own methods. Those on {@code @PostConstruct} methods and the like do nothing when the container calls them, because it has no
     * proxy of the bean then.
     */
    private void warnIfContainerCalls(Class<?> type, Method method, ResilienceAnnotations protection) {
        boolean makesBean = has(method, Bean.class.getName());
        if (makesBean && protection.onMethod()) {
            String made = method.getReturnType().getSimpleName();
            warnings.add(ANNOTATION_ON_BEAN_METHOD.of("The @Bean method " + MethodNames.full(method, type) + " has "
                    + protection + ", which holds for making the bean and not for calls of it. Annotate the methods "
                    + "of " + made + " or of an interface that it implements; where that cannot be, write a bean that "
                    + "calls it, and annotate that bean's methods"));
        } else if (makesBean && AnnotatedElementUtils.hasAnnotation(type, Configuration.class)) {
            warnings.add(ANNOTATION_ON_BEAN_METHOD.of("The configuration class " + type.getName() + " has "
                    + protection + ", which holds for making its beans, as by " + method.getName()
                    + "(), and not for calls of them. Annotate the classes of the beans or their interfaces"));
        } else if (!advisor.methods().areWoven() && protection.onMethod() && isCalledWithoutProxy(method, type)) {
            warnings.add(ANNOTATION_ON_CALLBACK.of("The method " + MethodNames.full(method, type) + " has "
                    + protection + ", but the container calls it on the bean itself and not on its proxy, so that "
                    + "call is not protected. Let it call a method of another bean that has the annotation"));
        }
    }

    private static boolean isCalledWithoutProxy(Method method, Class<?> type) {
        return has(method, "jakarta.annotation.PostConstruct")
                || has(method, "jakarta.annotation.PreDestroy")
                || isOf(InitializingBean.class, "afterPropertiesSet", method, type)
                || isOf(DisposableBean.class, "destroy", method, type);
    }

    /** Without a search for meta-annotations, which these hardly ever are. */
    private static boolean has(Method method, String annotation) {
        return Arrays.stream(method.getDeclaredAnnotations())
                .anyMatch(found -> found.annotationType().getName().equals(annotation));
    }

    private static boolean isOf(Class<?> callback, String name, Method method, Class<?> type) {
        return callback.isAssignableFrom(type)
                && method.getParameterCount() == 0
                && method.getName().equals(name);
    }

    /** A method that has the {@code @Retryable} of another library as well. */
    private void warnIfRetriedTwice(Class<?> type, Method method) {
        if (advisor.methods().lookAlikes().isEmpty()) {
            return;
        }
        MergedAnnotations onMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        MergedAnnotations onType = MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY);
        for (String other : ProtectedMethods.LOOK_ALIKES.keySet()) {
            if (onMethod.isPresent(other) || onType.isPresent(other)) {
                warnings.add(RETRY_INSIDE_RETRY.of("The method "
                        + MethodNames.full(method, ProtectedMethods.written(type, method)) + " has @Retryable of this "
                        + "library and @" + other + ": where that is enabled, the method is retried twice and the "
                        + "attempts multiply. Remove one"));
            }
        }
    }

    /** A {@code @Retryable} of another library that nothing enables was imported by problem, in all probability. */
    void warnOfIdleLookAlikes() {
        advisor.methods().lookAlikes().forEach((element, name) -> {
            Class<?> enabling = ClassUtils.resolveClassName(
                    ProtectedMethods.LOOK_ALIKES.getOrDefault(name, name), beans.getBeanClassLoader());
            if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, enabling, true, false).length == 0) {
                warnings.add(OTHER_RETRYABLE.of("@" + name + " on " + element + " does nothing, because nothing "
                        + "enables it. Import " + Retryable.class.getName() + " in its place, or enable the other"));
            }
        });
    }

    private void warnIfAttemptsShareTransaction(Class<?> type, Method method, ResilienceAnnotations protection) {
        if (advisor.methods().areWoven()
                && !beans.containsBean(WOVEN_TRANSACTIONS)
                && SpringAnnotations.isTransactional(method, type)) {
            warnings.add(RETRY_IN_TRANSACTION.of("The method " + MethodNames.full(method, type) + " has " + protection
                    + ", which AspectJ weaves, and @Transactional on a proxy around that: all attempts are in one "
                    + "transaction, and none is made once it is marked for rollback. Weave transactions too, by "
                    + "@EnableTransactionManagement(mode = AdviceMode.ASPECTJ), or remove 'resilience.advice-mode'"));
        }
    }

    /** Spring lets each call fail of what it cannot hand over to an executor, such as a {@code Mono}. */
    private static void requireHandedOver(Method method, Class<?> type) {
        ReturnTypes.isAsynchronous(method, type); // refuses some of these types in any case
        Class<?> returned = method.getReturnType();
        if (returned != void.class
                && !Future.class.isAssignableFrom(returned)
                && !returned.getName().equals("kotlin.Unit")) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " is @Async and "
                            + (SuspendingFunctions.is(method) ? "suspends" : "returns " + returned.getName())
                            + ", which Spring cannot hand over to an executor: each of its calls would fail",
                    "Return a CompletableFuture, or remove @Async: a reactive type goes to other threads by operators of "
                            + "its own, such as subscribeOn.");
        }
    }

    /**
     * Callers of an idempotent method must be authorised outside this library's advice: one who may not call the method would get
     * the result of one who may. Of two advisors of one order the first that is registered is the outer one, which is never chosen.
     */
    private void requireOuterAuthorization(Class<?> type, Method method) {
        for (PointcutAdvisor other : authorizing.get()) {
            if (ProtectedBeanPostProcessor.matches(other, method, type)) {
                throw new ResilienceConfigurationException(
                        "The method " + MethodNames.full(method, ProtectedMethods.written(type, method))
                                + " is @Idempotent, and Spring Security does not decide outside that who may call it: "
                                + "who may not would get the stored result of a call by one who may",
                        "Let authorisation stand outside: correct 'resilience.advice-order' or the offset of "
                                + "@EnableMethodSecurity.");
            }
        }
    }

    private static boolean authorizes(PointcutAdvisor advisor) {
        return Arrays.stream(ClassUtils.getAllInterfaces(advisor))
                .anyMatch(type -> type.getName().equals(AUTHORIZATION));
    }
}
