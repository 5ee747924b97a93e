package dev.resilience.spring.aop.policy;

import dev.resilience.spring.kind.MethodNames;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What classes are called in the names of the policies that are named after them: by their simple names, or by their full
 * ones if there are two of one simple name. A class that turns up when the other has its name already gets its full one.
 */
final class PolicyOwners {

    private final Map<String, Set<Class<?>>> bySimpleName = new HashMap<>();
    private final Map<Class<?>, String> names = new HashMap<>();

    /** Makes a class known before the first name is given. */
    synchronized void add(Class<?> type) {
        bySimpleName
                .computeIfAbsent(MethodNames.simple(type), key -> new LinkedHashSet<>())
                .add(type);
    }

    synchronized String nameOf(Class<?> type) {
        add(type);
        String simple = MethodNames.simple(type);
        boolean isShared = bySimpleName.getOrDefault(simple, Set.of()).size() > 1;
        return names.computeIfAbsent(type, key -> isShared ? type.getName() : simple);
    }
}
