package dev.resilience.spring.autoconfigure;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** A SpEL expression over {@code #result}; parsed once, reads properties and calls methods, and can do nothing else. */
final class ResultExpression implements Predicate<@Nullable Object> {

    private final Expression expression;

    ResultExpression(String expression) {
        this.expression = new SpelExpressionParser().parseExpression(expression);
    }

    @Override
    public boolean test(@Nullable Object result) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .build();
        context.setVariable("result", result);
        return Boolean.TRUE.equals(expression.getValue(context, Boolean.class));
    }
}
