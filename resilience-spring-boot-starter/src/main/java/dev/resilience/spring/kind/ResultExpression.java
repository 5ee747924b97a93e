package dev.resilience.spring.kind;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Which results a SpEL expression over {@code #result} is true for. Two of the same text are equal. Safe for use by many threads. */
public final class ResultExpression implements Predicate<@Nullable Object> {

    private final CallExpression expression;

    /**
     * @throws IllegalArgumentException if it does not parse or is not over {@code #result}; the message says why
     */
    public ResultExpression(String text) {
        this.expression = CallExpression.ofResult(text);
    }

    @Override
    public boolean test(@Nullable Object result) {
        return Boolean.TRUE.equals(expression.evaluate(Boolean.class, result));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResultExpression that && that.toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    /** As it is written. */
    @Override
    public String toString() {
        return expression.toString();
    }
}
