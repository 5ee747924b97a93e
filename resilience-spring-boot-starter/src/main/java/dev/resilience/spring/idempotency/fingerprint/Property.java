package dev.resilience.spring.idempotency.fingerprint;

import java.io.Externalizable;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * A field of an object, or a getter of one that has no fields of its own.
 *
 * @param name unlike all others of the same class, and the same in every process
 */
record Property(String name, AccessibleObject member, boolean isReadable) {

    /** Fields of these hold no part of a value: tools, and what is worked out of other fields on first use. */
    private static final Set<String> TOOLS = Set.of(
            "groovy.lang.MetaClass",
            "java.util.logging.Logger",
            "kotlin.Lazy",
            "org.apache.commons.logging.Log",
            "org.apache.logging.log4j.Logger",
            "org.slf4j.Logger");

    private static final Set<String> WRITERS = Set.of("writeObject", "writeReplace");

    private Property(String name, AccessibleObject member) {
        this(name, member, member.trySetAccessible());
    }

    /** The fields of a class and its superclasses below one, in the same order in every process. */
    static List<Property> fields(Class<?> type, Class<?> below) {
        List<Property> properties = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Class<?> owner = type; owner != null && owner != below; owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                if (isState(field, type)) {
                    boolean isHidden = !names.add(field.getName());
                    properties.add(new Property((isHidden ? owner.getName() + '.' : "") + field.getName(), field));
                }
            }
        }
        properties.sort(Comparator.comparing(Property::name));
        return List.copyOf(properties);
    }

    private static boolean isState(Field field, Class<?> type) {
        return !Modifier.isStatic(field.getModifiers())
                && (!field.isSynthetic() || field.getName().startsWith("val$"))
                && !TOOLS.contains(field.getType().getName())
                && (!isCache(field) || hasAccessor(field.getName(), type));
    }

    /** One that nothing outside of its class asks for or sets. */
    private static boolean isCache(Field field) {
        return Modifier.isTransient(field.getModifiers()) && Modifier.isPrivate(field.getModifiers());
    }

    /** Whether objects of a class are written by a method of its own: then its transient fields may be all that it holds. */
    static boolean isWrittenByItself(Class<?> type, Class<?> below) {
        boolean hasTransient = false;
        boolean hasMethod = Externalizable.class.isAssignableFrom(type);
        for (Class<?> owner = type; owner != null && owner != below; owner = owner.getSuperclass()) {
            hasTransient |= Arrays.stream(owner.getDeclaredFields())
                    .anyMatch(field ->
                            Modifier.isTransient(field.getModifiers()) && !Modifier.isStatic(field.getModifiers()));
            hasMethod |=
                    Arrays.stream(owner.getDeclaredMethods()).anyMatch(method -> WRITERS.contains(method.getName()));
        }
        return hasTransient && hasMethod;
    }

    /** A transient field that nothing outside asks for or sets is a cache. */
    private static boolean hasAccessor(String field, Class<?> type) {
        String name = StringUtils.capitalize(field);
        Set<String> accessors = Set.of(field, "get" + name, "is" + name, "set" + name);
        return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .anyMatch(method -> method.getDeclaringClass() != Object.class
                        && !ReflectionUtils.isObjectMethod(method)
                        && accessors.contains(method.getName()));
    }

    /** The getters of an object's interfaces, or none if they have methods that are no getters. */
    static List<Property> getters(Class<?> type) {
        List<Property> getters = new ArrayList<>();
        for (Class<?> implemented : type.getInterfaces()) {
            for (Method method : implemented.getMethods()) {
                if (Modifier.isAbstract(method.getModifiers()) && !ReflectionUtils.isObjectMethod(method)) {
                    if (!isGetter(method)) {
                        return List.of();
                    }
                    getters.add(new Property(method.getName(), method));
                }
            }
        }
        getters.sort(Comparator.comparing(Property::name));
        return List.copyOf(getters);
    }

    private static boolean isGetter(Method method) {
        String name = method.getName();
        return method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && ((name.length() > 3 && name.startsWith("get")) || (name.length() > 2 && name.startsWith("is")));
    }

    /** The field or method itself. */
    Member declared() {
        return (Member) member;
    }

    @Nullable
    Object of(Object owner) {
        try {
            return member instanceof Field field ? field.get(owner) : ((Method) member).invoke(owner);
        } catch (InvocationTargetException failed) {
            throw new IllegalStateException(name + " failed", failed.getCause());
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(name + " is not accessible", impossible);
        }
    }
}
