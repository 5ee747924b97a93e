package dev.resilience.spring.aop;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Resolves the plan of every protected method when all singletons are there, those of beans that are made later
 * included, and warns of what is protected differently from how it looks.
 */
public final class StartupCheck implements SmartInitializingSingleton {

    /** Other libraries' annotations that retry: together with ours the attempts multiply. */
    private static final List<String> OTHER_RETRIES = List.of(
            "org.springframework.resilience.annotation.Retryable",
            "org.springframework.retry.annotation.Retryable",
            "io.github.resilience4j.retry.annotation.Retry");

    private final ConfigurableListableBeanFactory beans;
    private final ResilienceAdvisor advisor;
    private final StartupWarnings warnings;
    private final StartupMistakes mistakes;
    private boolean done;

    public StartupCheck(
            ConfigurableListableBeanFactory beans,
            ResilienceAdvisor advisor,
            StartupWarnings warnings,
            StartupMistakes mistakes) {
        this.beans = beans;
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
                lookAt(beans.getType(name, false));
            }
        }
        advisor.plans().resolveAll();
        AuthorizationCheck authorization = new AuthorizationCheck(beans, advisor);
        advisor.methods().all().forEach((type, methods) -> {
            methods.forEach(
                    (method, protection) -> mistakes.collect(() -> authorization.check(type, method, protection)));
            warnOfOtherRetries(type, methods);
        });
    }

    /** What a factory makes of an annotated type: made now, where nobody has asked for it yet, to be looked at. */
    private @Nullable Object product(String name) {
        Class<?> type = beans.getType(name, false);
        boolean annotated = type != null && advisor.methods().areIn(type);
        return annotated && beans.isSingleton(name) ? beans.getBean(name) : null;
    }

    private void lookAt(@Nullable Class<?> type) {
        if (type != null && !Modifier.isAbstract(type.getModifiers())) {
            advisor.methods().of(type);
        }
    }

    private void warnIfUnprotected(String name, @Nullable Object bean) {
        if (bean == null || bean instanceof ScopedObject || Mocks.isMock(bean)) {
            return;
        }
        boolean isProtected = bean instanceof Advised advised
                && Arrays.asList(advised.getAdvisors()).contains(advisor);
        Class<?> type = ClassUtils.getUserClass(bean);
        if (!isProtected
                && !(bean instanceof Advised)
                && !advisor.methods().of(type).isEmpty()) {
            warnings.add(
                    "The bean '" + name + "' of " + type.getName() + " has annotated methods but no proxy, so they are "
                            + "not protected: it was made before proxies could be, or 'spring.aop.auto' is false");
        }
    }

    private void warnOfOtherRetries(Class<?> type, Map<Method, Protection> methods) {
        methods.forEach((method, protection) -> {
            if (protection.retryable() != null) {
                Stream.of(method.getAnnotations(), type.getAnnotations())
                        .flatMap(Arrays::stream)
                        .map(Annotation::annotationType)
                        .map(Class::getName)
                        .filter(OTHER_RETRIES::contains)
                        .findFirst()
                        .ifPresent(other -> warnings.add("The method "
                                + MethodNames.full(method, ProtectedMethods.written(type, method))
                                + " is retried twice, by @Retryable of this library and by @" + other
                                + ": their attempts multiply"));
            }
        });
    }
}
