package dev.resilience.spring.aop.method;

import static dev.resilience.spring.aop.method.InterceptionRules.refuse;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.weaving.ResilienceAspect;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.aspectj.lang.JoinPoint;
import org.springframework.util.ClassUtils;

/**
 * For classes that AspectJ has woven. Which methods it has, is seen by the methods that it adds for their bodies. It adds them
 * for every aspect, and an aspect of others protects nothing: ours is in those that its pointcut is for, unless the class file
 * shows that they were woven at build time, without ours.
 */
final class WovenRules implements InterceptionRules {

    private static final String NAME_OF_BODIES = "_aroundBody";

    @Override
    public void check(Method method, Class<?> type, ResilienceAnnotations protection) {
        if (type.isInterface()) {
            return; // what implements it is looked at too
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw refuse(
                    method, type, protection, "is static: nothing would protect it", "Make it an instance method.");
        }
        if (SuspendingFunctions.is(method)) {
            throw refuse(
                    method,
                    type,
                    protection,
                    "is a suspending function, which is protected by proxies alone, and 'resilience.advice-mode' is "
                            + "'aspectj': its every resumption would be a call",
                    "Move the function to an application or a service with 'resilience.advice-mode: proxy', or protect a "
                            + "function that does not suspend.");
        }
        if (protection.has(Idempotent.class)) {
            throw refuse(
                    method,
                    type,
                    protection,
                    "'resilience.advice-mode' is 'aspectj': the advice would stand inside of the method's transaction, "
                            + "and results would be kept whose effect is rolled back",
                    "Move the method to an application or a service with 'resilience.advice-mode: proxy'.");
        }
        if (!ResilienceAspect.isFor(method) || !isWoven(method) || isWovenByOthers(method)) {
            throw refuse(
                    method,
                    type,
                    protection,
                    "AspectJ has not woven this library's advice into it, and 'resilience.advice-mode' is 'aspectj': "
                            + "nothing would protect it",
                    "Start the JVM with -javaagent:aspectjweaver.jar, see the docs on AspectJ; annotate the class's own "
                            + "method rather than an interface's, and with the library's annotations rather than with "
                            + "one of yours that has them. Or remove 'resilience.advice-mode', and proxies protect it.");
        }
    }

    /** The body of a woven method is a static one that takes the object, the arguments and what AspectJ needs. */
    private static boolean isWoven(Method method) {
        List<Class<?>> parameters = List.of(method.getParameterTypes());
        return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
                .filter(body -> body.getName().startsWith(method.getName() + NAME_OF_BODIES))
                .map(body -> List.of(body.getParameterTypes()))
                .anyMatch(ofBody -> ofBody.size() > parameters.size() + 1
                        && ofBody.subList(1, parameters.size() + 1).equals(parameters)
                        && ofBody.get(parameters.size() + 1) == JoinPoint.class); // otherwise the body of an overload
    }

    /** At build time, and with no body that has come since. */
    private static boolean isWovenByOthers(Method method) {
        Class<?> type = method.getDeclaringClass();
        String file = classFile(type);
        return !file.contains(ResilienceAspect.class.getName().replace('.', '/'))
                && Arrays.stream(type.getDeclaredMethods())
                        .map(Method::getName)
                        .filter(name -> name.startsWith(method.getName() + NAME_OF_BODIES))
                        .allMatch(file::contains);
    }

    /** As text, in which names can be found; empty if there is none. */
    private static String classFile(Class<?> type) {
        try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            return file == null ? "" : new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException unreadable) {
            return "";
        }
    }
}
