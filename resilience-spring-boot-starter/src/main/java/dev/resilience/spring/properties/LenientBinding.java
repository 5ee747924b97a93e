package dev.resilience.spring.properties;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.properties.value.DurationTexts;
import dev.resilience.spring.properties.value.UnreadableValues;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;

/**
 * Goes on with the binding where a value cannot be read, so that all such values are found; what was bound so must not
 * be used. A duration without a unit and an empty value count as unreadable: the one is not what it seems, the other
 * would have no effect.
 */
final class LenientBinding implements BindHandler {

    private static final UnreadableValues.Explanation EMPTY = new UnreadableValues.Explanation(
            "it has no value", "Write a value, or remove the key to leave it at its default.");

    private static final UnreadableValues.Explanation EMPTY_ELEMENT =
            new UnreadableValues.Explanation("one of its elements is empty", "Remove the comma that is too many.");

    private final Supplier<ConfiguredProperties> keys;
    private final PlaceholdersResolver placeholders;
    private final StartupMistakes mistakes;
    private final Set<ConfigurationPropertyName> unreadable = new HashSet<>();

    /**
     * @param keys what is written, asked for to describe a mistake
     */
    LenientBinding(Supplier<ConfiguredProperties> keys, PlaceholdersResolver placeholders, StartupMistakes mistakes) {
        this.keys = keys;
        this.placeholders = placeholders;
        this.mistakes = mistakes;
    }

    /** Whether a value of this property, or of a list's element, could not be read. */
    boolean isUnreadable(ConfigurationPropertyName name) {
        return unreadable.contains(name) || unreadable.stream().anyMatch(name::isParentOf);
    }

    boolean hasFailed() {
        return !unreadable.isEmpty();
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (hasKeys(target.getType()) && property(name, context) != null) {
            return null; // made of a text by its constructor: a value where keys should be, as below
        }
        ConfigurationProperty property = result instanceof Duration ? property(name, context) : null;
        if (property != null) {
            String text = text(property);
            if (DurationTexts.lacksUnit(text)) {
                String number = text.strip();
                record(
                        property.getName(),
                        target.getType(),
                        text,
                        new UnreadableValues.Explanation(
                                "it has no unit: " + number + "s or " + number + "ms?",
                                "Write " + number + "s or " + number + "ms."));
                return null;
            }
        }
        ConfigurationProperty number = result instanceof Integer ? property(name, context) : null;
        if (number != null
                && number.getValue() instanceof Number given
                && given.doubleValue() != ((Integer) result).doubleValue()) {
            record(name, target.getType(), text(number), UnreadableValues.notWhole(text(number))); // was cut off
        }
        if (result instanceof Collection<?> list && list.stream().anyMatch(Objects::isNull)) {
            ConfigurationProperty joined = property(name, context);
            record(name, target.getType(), joined == null ? "" : text(joined), EMPTY_ELEMENT);
            return null;
        }
        return result;
    }

    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result) {
        ConfigurationProperty property = property(name, context);
        if (result == null && property != null && isOneValue(target.getType()) && isLeftEmpty(property)) {
            record(property.getName(), target.getType(), "", EMPTY);
        }
    }

    private static boolean isOneValue(ResolvableType target) {
        return !Collection.class.isAssignableFrom(target.resolve(Object.class)) && !hasKeys(target);
    }

    /** Whether it is a group of what is written besides policies. */
    private static boolean hasKeys(ResolvableType target) {
        Class<?> type = target.resolve(Object.class);
        return type.isRecord() && type.getPackageName().startsWith(LenientBinding.class.getPackageName());
    }

    /** A placeholder may well be empty, and so may an environment variable. */
    private static boolean isLeftEmpty(ConfigurationProperty property) {
        return String.valueOf(property.getValue()).isEmpty()
                && property.getSource() != null
                && ConfiguredProperties.isStrict(property.getSource());
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
        if (unreadable.stream().anyMatch(known -> known.equals(name) || name.isAncestorOf(known))) {
            return null; // follows from what is told already
        }
        ConfigurationProperty property = property(name, context);
        if (hasKeys(target.getType())) {
            return null; // a value where keys should be: an unknown key, which is told of elsewhere
        }
        String text = property == null ? "" : text(property);
        record(name, target.getType(), text, explain(target, property, text, error));
        return name.isLastElementIndexed() ? standIn(target.getType()) : null;
    }

    private static UnreadableValues.Explanation explain(
            Bindable<?> target, @Nullable ConfigurationProperty property, String text, Exception error) {
        if (error instanceof UnboundConfigurationPropertiesException) {
            return new UnreadableValues.Explanation(
                    "the numbers of its elements have a gap", "Number the elements from 0 on, without a gap.");
        }
        return property != null && text.isEmpty() ? EMPTY : UnreadableValues.explain(target.getType(), text, error);
    }

    /** In place of a list's element, so that the ones behind it are looked at. */
    private static @Nullable Object standIn(ResolvableType type) {
        Class<?> element = type.resolve(Object.class);
        return element == Class.class ? RuntimeException.class : element == Integer.class ? Integer.valueOf(503) : null;
    }

    private static @Nullable ConfigurationProperty property(ConfigurationPropertyName name, BindContext context) {
        ConfigurationProperty property = context.getConfigurationProperty();
        return property != null && property.getName().equals(name) ? property : null;
    }

    private String text(ConfigurationProperty property) {
        try {
            return String.valueOf(placeholders.resolvePlaceholders(property.getValue()));
        } catch (IllegalArgumentException unresolved) {
            return String.valueOf(property.getValue());
        }
    }

    private void record(
            ConfigurationPropertyName name,
            ResolvableType type,
            String text,
            UnreadableValues.Explanation explanation) {
        unreadable.add(name);
        String cure = explanation.cure().isEmpty() ? "" : " " + explanation.cure();
        mistakes.add(
                "unreadable " + name,
                new ResilienceConfigurationException(
                        MistakeKind.VALUES,
                        "Failed to bind properties under '" + name + "' to " + type + ":\n\n"
                                + keys.get().describe(name, text) + "\n    Reason: " + explanation.reason(),
                        "Change the value of " + keys.get().target(name) + "." + cure));
    }
}
