package dev.resilience.spring.registry;

import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import org.springframework.context.ApplicationContext;

/** Looks for the policies of a parent context, which are not those of its children. */
public final class ParentPolicies {

    private ParentPolicies() {}

    /**
     * Warns if the parent has policies as well.
     *
     * @param configuration makes the policies of the application
     */
    public static void warn(ApplicationContext application, StartupWarnings warnings, Class<?> configuration) {
        ApplicationContext parent = application.getParent();
        if (parent != null
                && parent.getBeanProvider(ResilienceRegistry.class).stream()
                        .findAny()
                        .isPresent()) {
            warnings.add(
                    "This application context and its parent have policies of their own, also those of equal names: a "
                            + "circuit that opens in one is closed in the other, and meters, health and endpoint show the "
                            + "parent's alone. To share the parent's, let 'spring.autoconfigure.exclude' of the child name "
                            + configuration.getName());
        }
    }
}
