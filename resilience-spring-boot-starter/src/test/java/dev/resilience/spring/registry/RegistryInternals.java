package dev.resilience.spring.registry;

import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.kind.Kind;
import java.util.List;

/** Gives tests what the live objects of an application work with. */
public final class RegistryInternals {

    private RegistryInternals() {}

    public static FaultClassification faults(ResilienceRegistry registry) {
        return ((DefaultResilienceRegistry) registry).environment.faults();
    }

    /** The layers, the outermost first. */
    public static List<Kind<?, ?>> order(ResilienceRegistry registry) {
        return ((DefaultResilienceRegistry) registry).order;
    }
}
