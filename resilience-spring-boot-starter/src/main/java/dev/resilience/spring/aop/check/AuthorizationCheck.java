package dev.resilience.spring.aop.check;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Refuses idempotent methods whose callers are not sure to be authorised outside of this library's advice: one who
 * may not call the method would get the result of one who may. Of two advisors of one order the first that is registered
 * stands further outside, which is never chosen. Knows Spring Security by name, because an application need not have it.
 */
final class AuthorizationCheck {

    private static final String AUTHORIZATION =
            "org.springframework.security.authorization.method.AuthorizationAdvisor";

    private final List<PointcutAdvisor> notFurtherOut;

    AuthorizationCheck(ListableBeanFactory beans, ResilienceAdvisor advisor) {
        this.notFurtherOut = beans.getBeansOfType(PointcutAdvisor.class, true, false).values().stream()
                .filter(AuthorizationCheck::authorizes)
                .filter(other -> other instanceof Ordered ordered && ordered.getOrder() >= advisor.getOrder())
                .toList();
    }

    private static boolean authorizes(PointcutAdvisor advisor) {
        return Arrays.stream(ClassUtils.getAllInterfaces(advisor))
                .anyMatch(type -> type.getName().equals(AUTHORIZATION));
    }

    void check(Class<?> type, Method method, ResilienceAnnotations protection) {
        if (protection.has(Idempotent.class)
                && notFurtherOut.stream().anyMatch(advisor -> matches(advisor, method, type))) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, ProtectedMethods.written(type, method))
                            + " is @Idempotent, and Spring Security does not decide further out than that who may call "
                            + "it: who may not would get the stored result of a call by one who may",
                    "Let authorisation stand further out: correct 'resilience.advice-order' or the offset of "
                            + "@EnableMethodSecurity.");
        }
    }

    private static boolean matches(PointcutAdvisor advisor, Method method, Class<?> type) {
        return advisor.getPointcut().getClassFilter().matches(type)
                && advisor.getPointcut().getMethodMatcher().matches(method, type);
    }
}
