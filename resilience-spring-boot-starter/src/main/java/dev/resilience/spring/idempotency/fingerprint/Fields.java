package dev.resilience.spring.idempotency.fingerprint;

import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.util.ReflectionUtils;

/** What an object holds, whether JSON shows it or not. */
public final class Fields {

    private Fields() {}

    /** Whether objects of a class hold anything, by which one may differ from another. */
    public static boolean areIn(@Nullable Class<?> type) {
        return type != null
                && (Arrays.stream(type.getDeclaredFields()).anyMatch(Fields::isState) || areIn(type.getSuperclass()));
    }

    private static boolean isState(Field field) {
        return !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic();
    }

    /** Whether what a getter returns or a setter takes is held in a field of its name. */
    public static boolean isBehind(@Nullable Member accessor) {
        if (!(accessor instanceof Method method)) {
            return true;
        }
        PropertyDescriptor property = BeanUtils.findPropertyForMethod(method);
        String name = property == null ? method.getName() : property.getName();
        return ReflectionUtils.findField(method.getDeclaringClass(), name) != null;
    }
}
