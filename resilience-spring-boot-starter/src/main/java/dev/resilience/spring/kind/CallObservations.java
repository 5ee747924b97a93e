package dev.resilience.spring.kind;

import dev.resilience.pipeline.Layer;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

/** Lets the calls of protected methods be observed, in traces for example. */
@FunctionalInterface
public interface CallObservations {

    /**
     * Adds a layer around those of a method, or none if nothing observes the method, whose calls then cost nothing. Called once
     * for each method, at startup.
     *
     * @param layers the outermost first
     * @param policies the names of the policies by kind, the outermost first; for a fallback, the name of the method
     */
    void observe(List<Layer> layers, Method method, Class<?> type, Map<String, String> policies);
}
