package dev.resilience.spring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What is written cannot work: one problem or several. Fails the startup with a description of every place and with
 * every cure.
 */
public final class ResilienceConfigurationException extends RuntimeException {

    private final transient List<Problem> problems;

    private record Problem(ProblemKind kind, String description, String action) {

        /** Classes are looked at in any order; properties in the order in which they are written. */
        String place() {
            return kind.compareTo(ProblemKind.VALUES) > 0 ? description : "";
        }
    }

    /**
     * A problem in an annotated method.
     *
     * @param description what is wrong and where: class and method, or property, value and origin
     * @param action what to do about it
     */
    public ResilienceConfigurationException(String description, String action) {
        this(ProblemKind.METHODS, description, action);
    }

    /**
     * A problem of any kind.
     *
     * @param kind what it is about
     * @param description what is wrong and where: class and method, or property, value and origin
     * @param action what to do about it
     */
    public ResilienceConfigurationException(ProblemKind kind, String description, String action) {
        this(List.of(new Problem(kind, description, action)), null);
    }

    private ResilienceConfigurationException(List<Problem> problems, @Nullable Throwable cause) {
        super(describe(problems), cause);
        this.problems = problems;
    }

    /**
     * All problems in one: numbered, grouped by kind, the most probable causes first. The first that was found is the cause.
     *
     * @param problems at least one
     */
    static ResilienceConfigurationException of(List<ResilienceConfigurationException> problems) {
        List<Problem> all = new ArrayList<>();
        problems.forEach(problem -> all.addAll(problem.problems));
        all.sort(Comparator.comparing(Problem::kind).thenComparing(Problem::place));
        return new ResilienceConfigurationException(List.copyOf(all), problems.get(0));
    }

    /** The same problems, those of methods with one cure more. */
    public ResilienceConfigurationException or(String cure) {
        List<Problem> curable = new ArrayList<>(problems);
        curable.replaceAll(one ->
                one.kind == ProblemKind.METHODS ? new Problem(one.kind, one.description, one.action + cure) : one);
        return new ResilienceConfigurationException(curable, this);
    }

    /** Each problem by itself: this one, or those of which it is made. */
    public List<ResilienceConfigurationException> problems() {
        if (problems.size() == 1) {
            return List.of(this);
        }
        List<ResilienceConfigurationException> each = new ArrayList<>();
        problems.forEach(one -> each.add(new ResilienceConfigurationException(List.of(one), this)));
        return each;
    }

    /** What to do about it. */
    public String action() {
        if (problems.size() == 1) {
            return problems.get(0).action;
        }
        StringJoiner text = new StringJoiner("\n");
        for (int i = 0; i < problems.size(); i++) {
            text.add("(" + (i + 1) + ") " + problems.get(i).action);
        }
        return text.toString();
    }

    private static String describe(List<Problem> problems) {
        if (problems.size() == 1) {
            return problems.get(0).description;
        }
        StringBuilder text = new StringBuilder("There are " + problems.size()
                + " problems in the configuration of the resilience starter, the most probable causes first.");
        ProblemKind group = null;
        for (int i = 0; i < problems.size(); i++) {
            Problem problem = problems.get(i);
            if (problem.kind != group) {
                group = problem.kind;
                text.append("\n\n").append(group.heading()).append(':');
            }
            text.append("\n\n(").append(i + 1).append(") ").append(problem.description);
        }
        return text.toString();
    }
}
