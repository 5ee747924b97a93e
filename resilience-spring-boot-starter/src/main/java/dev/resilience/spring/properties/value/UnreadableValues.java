package dev.resilience.spring.properties.value;

import dev.resilience.spring.KebabCase;
import dev.resilience.spring.NearestNames;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/** Why a text is not a value of the type that is due, and what to write in its place. */
public final class UnreadableValues {

    /** Where the exceptions that everybody knows by their simple names are. */
    private static final List<String> PACKAGES = List.of(
            "java.lang",
            "java.io",
            "java.net",
            "java.net.http",
            "java.nio.file",
            "java.nio.channels",
            "java.util.concurrent",
            "java.util",
            "java.sql",
            "javax.net.ssl",
            "org.springframework.web.client",
            "org.springframework.web.reactive.function.client",
            "org.springframework.web.server",
            "org.springframework.dao",
            "org.springframework.transaction",
            "org.springframework.jdbc",
            "org.springframework.messaging",
            "org.springframework.kafka",
            "org.springframework.amqp",
            "org.springframework.data.redis",
            "jakarta.persistence",
            "jakarta.validation",
            "org.hibernate",
            "feign",
            "io.grpc",
            "dev.resilience.exception");

    private UnreadableValues() {}

    public static Explanation notWhole(String text) {
        return new Explanation("'" + text + "' is not a whole number", "Write a whole number, in digits.");
    }

    /**
     * What to tell of a text.
     *
     * @param reason why it cannot be read
     * @param cure what to write, empty if that cannot be told
     */
    public record Explanation(String reason, String cure) {}

    public static Explanation explain(ResolvableType target, String text, Throwable error) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(element(target).resolve(Object.class));
        String reason = rootMessage(error);
        if (text.contains("${")) {
            return new Explanation(
                    "'" + text + "' cannot be resolved",
                    "Define the property that the placeholder names, or give it a default: ${name:default}.");
        }
        if (type == Duration.class) {
            String correct = DurationTexts.correct(text);
            return new Explanation(
                    reason,
                    correct == null ? "Write a number and a unit: 250ms, 10s, 5m, 1h." : "Write " + correct + ".");
        }
        if (type == Class.class) {
            return ofClass(text, reason);
        }
        if (type.isEnum()) {
            return ofEnum(type, text);
        }
        if (type == Integer.class || type == Long.class) {
            return text.strip().matches("[+-]?\\d+")
                    ? new Explanation("'" + text + "' has too many digits", "Write a smaller number.")
                    : notWhole(text);
        }
        if (type == Double.class) {
            String ratio = Percentages.ofSigned(text);
            return new Explanation(
                    "'" + text + "' is not a number", ratio == null ? "Write a number." : "Write " + ratio + ".");
        }
        if (type == Boolean.class) {
            return new Explanation("'" + text + "' is neither true nor false", "Write true or false.");
        }
        if (type == DataSize.class) {
            return new Explanation(reason, "Write a number and a unit without a blank: 512B, 256KB, 2MB.");
        }
        return new Explanation(reason, "");
    }

    private static ResolvableType element(ResolvableType type) {
        boolean isCollection = Collection.class.isAssignableFrom(type.resolve(Object.class));
        return isCollection ? type.asCollection().getGeneric() : type;
    }

    private static String rootMessage(Throwable error) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(error);
        return String.valueOf(root.getMessage());
    }

    private static Explanation ofEnum(Class<?> type, String text) {
        List<String> values = Arrays.stream(type.getEnumConstants())
                .map(String::valueOf)
                .sorted()
                .toList();
        List<String> near =
                NearestNames.nearest(text, values.stream().map(KebabCase::of).toList());
        String meant = near.isEmpty() ? "" : NearestNames.suggest(text, near) + " ";
        return new Explanation(
                "'" + text + "' is none of the values that there are",
                meant + "The following values are valid:\n\n    " + String.join("\n    ", values));
    }

    private static Explanation ofClass(String text, String otherwise) {
        List<String> missing = Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(name -> !isPresent(name))
                .toList();
        if (missing.isEmpty()) {
            return new Explanation(otherwise, "");
        }
        String found = missing.stream()
                .map(UnreadableValues::withPackage)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.joining(", "));
        return new Explanation(
                "there is no class '" + String.join("' and no class '", missing) + "' on the class path",
                found.isEmpty()
                        ? "Write the name of a class on the class path, with its package."
                        : "Write the name with its package: " + found + ".");
    }

    private static String withPackage(String missing) {
        String simple = missing.substring(missing.lastIndexOf('.') + 1);
        return PACKAGES.stream()
                .map(name -> name + "." + simple)
                .filter(UnreadableValues::isPresent)
                .collect(Collectors.joining(" or "));
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, null);
    }
}
