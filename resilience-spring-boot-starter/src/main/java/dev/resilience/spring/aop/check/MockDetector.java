package dev.resilience.spring.aop.check;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Knows Mockito's mocks, which tests put in the place of beans: they pass through no proxy and need none. Their class
 * does not tell, for by default it is the mocked class itself.
 */
final class MockDetector {

    private static final @Nullable Method DETAILS = method("org.mockito.Mockito", "mockingDetails", Object.class);
    private static final @Nullable Method IS_MOCK = method("org.mockito.MockingDetails", "isMock");

    private MockDetector() {}

    static boolean isMock(Object bean) {
        if (DETAILS == null || IS_MOCK == null) {
            return false;
        }
        Object details = ReflectionUtils.invokeMethod(DETAILS, null, bean);
        return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_MOCK, details));
    }

    private static @Nullable Method method(String type, String name, Class<?>... parameters) {
        try {
            return ClassUtils.forName(type, MockDetector.class.getClassLoader()).getMethod(name, parameters);
        } catch (ReflectiveOperationException | LinkageError noMockito) {
            return null;
        }
    }
}
