package dev.resilience.spring.aop.check;

import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ProtectedMethods;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.aop.scope.ScopedProxyUtils;

/** Warns of several beans of one class with idempotent methods: a key is unique within the class, so they share it. */
final class SharedKeysCheck {

    private final Map<String, Set<String>> beansOfClass = new TreeMap<>();

    /** Notes a bean that is no scoped proxy. */
    void add(String bean, Class<?> type, ProtectedMethods methods) {
        if (!ProtectedMethods.isMadeAtRunTime(type) && methods.areIdempotentIn(type)) {
            String name = ScopedProxyUtils.isScopedTarget(bean) ? ScopedProxyUtils.getOriginalBeanName(bean) : bean;
            beansOfClass.computeIfAbsent(type.getName(), key -> new TreeSet<>()).add(name);
        }
    }

    void warn(StartupWarnings warnings) {
        beansOfClass.forEach((type, beans) -> {
            if (beans.size() > 1) {
                warnings.add("The beans '" + String.join("', '", beans) + "' are all of " + type
                        + ", whose idempotent methods have keys that are unique within the class: a call of one bean gets "
                        + "the result of the other's call with an equal key. If they do different things, put what tells "
                        + "them apart into the key, or give each a class of its own");
            }
        });
    }
}
