package dev.resilience.spring.aop.check;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.aop.method.ReturnTypes;
import dev.resilience.spring.kind.AsyncMethods;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.util.concurrent.Future;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

/**
 * Refuses protected methods that Spring's {@code @Async} moves to an executor and that return neither a future nor
 * nothing, such as a {@code Mono}: Spring hands over no other, and lets each of their calls fail.
 */
final class AsyncResultCheck {

    private final boolean isEnabled;

    AsyncResultCheck(ListableBeanFactory beans) {
        isEnabled = beans.containsBean(TaskManagementConfigUtils.ASYNC_ANNOTATION_PROCESSOR_BEAN_NAME)
                || beans.containsBean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)
                || beans.getBeanNamesForType(AsyncAnnotationAdvisor.class, true, false).length > 0;
    }

    /**
     * Looks at one method.
     *
     * @throws ResilienceConfigurationException if it returns what Spring does not hand over
     */
    void check(Class<?> type, Method method) {
        Class<?> returned = method.getReturnType();
        if (isEnabled
                && AsyncMethods.is(method, type)
                && !canBeHandedOver(returned)
                && !isRefusedAnyway(type, method)) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " is @Async and "
                            + (SuspendingFunctions.is(method) ? "suspends" : "returns " + returned.getName())
                            + ", which Spring cannot hand over to an executor: each of its calls would fail",
                    "Return a CompletableFuture, or remove @Async: a reactive type goes to other threads by operators of "
                            + "its own, such as subscribeOn.");
        }
    }

    /** One mistake is told once: some types no method can return, with @Async or without. */
    private static boolean isRefusedAnyway(Class<?> type, Method method) {
        try {
            ReturnTypes.isAsynchronous(method, type);
            return false;
        } catch (ResilienceConfigurationException refused) {
            return true;
        }
    }

    private static boolean canBeHandedOver(Class<?> returned) {
        return returned == void.class
                || Future.class.isAssignableFrom(returned)
                || returned.getName().equals("kotlin.Unit");
    }
}
