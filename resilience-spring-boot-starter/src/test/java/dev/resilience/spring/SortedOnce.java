package dev.resilience.spring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.core.Ordered;

/**
 * As {@link AutoConfigurations}, which read the metadata of all jars again for each context that a test starts: that was a
 * tenth of the time of these tests.
 */
public final class SortedOnce extends Configurations implements Ordered {

    private static final Map<Set<Class<?>>, List<Class<?>>> SORTED = new ConcurrentHashMap<>();

    private SortedOnce(Set<Class<?>> classes) {
        super(SortedOnce::sort, classes, Class::getName);
    }

    public static SortedOnce of(Class<?>... classes) {
        return new SortedOnce(Set.of(classes));
    }

    private static Collection<Class<?>> sort(Collection<Class<?>> classes) {
        return SORTED.computeIfAbsent(
                Set.copyOf(classes), all -> List.of(getClasses(AutoConfigurations.of(all.toArray(new Class<?>[0])))));
    }

    @Override
    public int getOrder() {
        return AutoConfigurations.of().getOrder();
    }

    @Override
    protected Configurations merge(Set<Class<?>> classes) {
        return new SortedOnce(classes);
    }
}
