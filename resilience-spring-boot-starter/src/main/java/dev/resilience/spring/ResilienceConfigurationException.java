package dev.resilience.spring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is written cannot work: one mistake or several. Fails the startup with a description of every place and with
 * every cure.
 */
public final class ResilienceConfigurationException extends RuntimeException {

    private final MistakeKind kind;
    private final String action;
    private final transient List<ResilienceConfigurationException> parts;

    /**
     * A mistake in an annotated method.
     *
     * @param description what is wrong and where: class and method, or property, value and origin
     * @param action what to do about it
     */
    public ResilienceConfigurationException(String description, String action) {
        this(MistakeKind.METHODS, description, action);
    }

    /**
     * A mistake of any kind.
     *
     * @param kind what it is about
     * @param description what is wrong and where: class and method, or property, value and origin
     * @param action what to do about it
     */
    public ResilienceConfigurationException(MistakeKind kind, String description, String action) {
        super(description);
        this.kind = kind;
        this.action = action;
        this.parts = List.of();
    }

    private ResilienceConfigurationException(List<ResilienceConfigurationException> sorted) {
        super(describe(sorted));
        this.kind = sorted.get(0).kind;
        this.action = advise(sorted);
        this.parts = sorted;
    }

    /**
     * All mistakes in one: numbered, grouped by kind, the most probable causes first. A single one stays as it is.
     *
     * @param mistakes at least one
     */
    public static ResilienceConfigurationException of(List<ResilienceConfigurationException> mistakes) {
        List<ResilienceConfigurationException> sorted = new ArrayList<>();
        mistakes.forEach(mistake -> sorted.addAll(mistake.mistakes()));
        sorted.sort(Comparator.<ResilienceConfigurationException, MistakeKind>comparing(mistake -> mistake.kind)
                .thenComparing(ResilienceConfigurationException::place));
        return sorted.size() == 1 ? sorted.get(0) : new ResilienceConfigurationException(List.copyOf(sorted));
    }

    /**
     * Runs every check and throws what they have thrown, all in one.
     *
     * @throws ResilienceConfigurationException if any check has failed
     */
    public static void throwAll(Runnable... checks) {
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        for (Runnable check : checks) {
            try {
                check.run();
            } catch (ResilienceConfigurationException mistake) {
                mistakes.add(mistake);
            }
        }
        if (!mistakes.isEmpty()) {
            throw of(mistakes);
        }
    }

    /** What is made, or {@code null} and one mistake more. */
    public static <T> @Nullable T collect(List<ResilienceConfigurationException> mistakes, Supplier<@Nullable T> made) {
        try {
            return made.get();
        } catch (ResilienceConfigurationException mistake) {
            mistakes.add(mistake);
            return null;
        }
    }

    /** As {@link #of}, thrown elsewhere than where the mistakes were found, the first of which is the cause. */
    static ResilienceConfigurationException causedBy(List<ResilienceConfigurationException> mistakes) {
        ResilienceConfigurationException all = of(mistakes);
        ResilienceConfigurationException told = all.parts.isEmpty()
                ? new ResilienceConfigurationException(all.kind, String.valueOf(all.getMessage()), all.action)
                : all;
        told.initCause(told.mistakes().get(0) == told ? all : told.mistakes().get(0));
        return told;
    }

    /** Each mistake by itself: this one, or those of which it is made. */
    public List<ResilienceConfigurationException> mistakes() {
        return parts.isEmpty() ? List.of(this) : parts;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }

    /** Classes are looked at in any order; properties in the order in which they are written. */
    private String place() {
        return kind.compareTo(MistakeKind.VALUES) > 0 ? String.valueOf(getMessage()) : "";
    }

    private static String describe(List<ResilienceConfigurationException> mistakes) {
        StringBuilder text = new StringBuilder("There are " + mistakes.size()
                + " mistakes in what is written for the resilience starter, the most probable causes first.");
        MistakeKind group = null;
        for (int i = 0; i < mistakes.size(); i++) {
            ResilienceConfigurationException mistake = mistakes.get(i);
            if (mistake.kind != group) {
                group = mistake.kind;
                text.append("\n\n").append(group.heading()).append(':');
            }
            text.append("\n\n").append(numbered(i, mistake.getMessage()));
        }
        return text.toString();
    }

    private static String advise(List<ResilienceConfigurationException> mistakes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < mistakes.size(); i++) {
            text.append(i == 0 ? "" : "\n").append(numbered(i, mistakes.get(i).action));
        }
        return text.toString();
    }

    private static String numbered(int index, @Nullable String text) {
        return "(" + (index + 1) + ") " + text;
    }
}
