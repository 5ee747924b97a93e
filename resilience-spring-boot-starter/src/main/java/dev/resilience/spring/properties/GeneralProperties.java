package dev.resilience.spring.properties;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.aop.LayerOrder;
import dev.resilience.spring.kind.Kinds;
import java.util.Collection;
import java.util.List;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** What is written under {@code resilience} besides policies, and its mistakes. */
public final class GeneralProperties {

    private GeneralProperties() {}

    /** What is written; the default in place of what cannot be read, which {@link #check} tells. */
    public static ResilienceProperties read(Environment environment) {
        return read(environment, new StartupMistakes());
    }

    /** Whether the library is switched on. Reads this one property alone, because conditions ask before all else. */
    public static boolean isEnabled(Environment environment) {
        return Binder.get(environment)
                .bind("resilience.enabled", Bindable.of(Boolean.class), handler(environment, new StartupMistakes()))
                .orElse(true);
    }

    /** Tells of every value that cannot be read. */
    public static void check(Environment environment, StartupMistakes mistakes) {
        read(environment, mistakes);
    }

    private static ResilienceProperties read(Environment environment, StartupMistakes mistakes) {
        return Binder.get(environment)
                .bindOrCreate(KnownKeys.ROOT, Bindable.of(ResilienceProperties.class), handler(environment, mistakes));
    }

    private static LenientBinding handler(Environment environment, StartupMistakes mistakes) {
        return new LenientBinding(
                () -> keys(environment), new PropertySourcesPlaceholdersResolver(environment), mistakes);
    }

    /** What is written, for what asks for no policies. */
    public static ConfiguredProperties keys(Environment environment) {
        return keys(environment, List.of());
    }

    public static ConfiguredProperties keys(Environment environment, Collection<? extends PolicyKind> kinds) {
        return new ConfiguredProperties(ConfigurationPropertySources.get(environment), new KnownKeys(kinds));
    }

    /** What is written, and the policies in code. */
    public static ConfiguredProperties keys(Environment environment, KnownKeys known, PoliciesInCode code) {
        return new ConfiguredProperties(ConfigurationPropertySources.get(environment), known, code);
    }

    /** The order of the layers; the default in place of one that is none, which is a mistake. */
    public static LayerOrder order(Environment environment, Kinds kinds, StartupMistakes mistakes) {
        try {
            return LayerOrder.of(read(environment).order(), kinds);
        } catch (ResilienceConfigurationException invalid) {
            String where = keys(environment).describe(ConfigurationPropertyName.of("resilience.order"));
            invalid.mistakes()
                    .forEach(mistake -> mistakes.add(new ResilienceConfigurationException(
                            MistakeKind.VALUES, mistake.getMessage() + "\n\n" + where, mistake.action())));
            return LayerOrder.standard(kinds);
        }
    }
}
