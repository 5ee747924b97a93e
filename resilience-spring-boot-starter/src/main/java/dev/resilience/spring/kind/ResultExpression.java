package dev.resilience.spring.kind;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A SpEL expression over {@code #result}; parsed once, reads properties and calls methods, and can do nothing else. Two of
 * the same text are equal. Safe for use by many threads.
 */
public final class ResultExpression implements Predicate<@Nullable Object> {

    private static final String RESULT = "result";

    private final String text;
    private final Expression expression;

    /**
     * @throws IllegalArgumentException if it does not parse or is not over {@code #result}; the message says why
     */
    public ResultExpression(String text) {
        SpelExpression parsed;
        try {
            parsed = new SpelExpressionParser().parseRaw(text);
        } catch (ParseException | IllegalArgumentException | IllegalStateException invalid) {
            throw new IllegalArgumentException("it does not parse: " + invalid.getMessage(), invalid);
        }
        if (!namesResult(parsed.getAST())) {
            throw new IllegalArgumentException("it does not name #" + RESULT);
        }
        this.text = text;
        this.expression = parsed;
    }

    private static boolean namesResult(SpelNode node) {
        boolean names = false;
        if (node instanceof VariableReference) {
            String name = node.toStringAST().substring(1);
            names = name.equals(RESULT);
            if (!names && !name.equals("this") && !name.equals("root")) {
                throw new IllegalArgumentException("there is no '#" + name + "', only '#" + RESULT + "'");
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            names |= namesResult(node.getChild(i));
        }
        return names;
    }

    @Override
    public boolean test(@Nullable Object result) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .build();
        context.setVariable(RESULT, result);
        return Boolean.TRUE.equals(expression.getValue(context, Boolean.class));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ResultExpression that && that.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As it is written. */
    @Override
    public String toString() {
        return text;
    }
}
