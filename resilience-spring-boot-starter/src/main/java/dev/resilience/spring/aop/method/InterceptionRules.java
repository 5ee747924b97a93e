package dev.resilience.spring.aop.method;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;

/** Which methods can be intercepted. An annotation on any other would silently protect nothing. */
interface InterceptionRules {

    /**
     * Looks at an annotated method.
     *
     * @throws ResilienceConfigurationException if it cannot be intercepted
     */
    void check(Method method, Class<?> type, ResilienceAnnotations protection);

    static ResilienceConfigurationException refuse(
            Method method, Class<?> type, ResilienceAnnotations protection, String why, String cure) {
        return new ResilienceConfigurationException(
                "The method " + MethodNames.full(method, type) + " is annotated with " + protection + " but " + why,
                cure);
    }
}
