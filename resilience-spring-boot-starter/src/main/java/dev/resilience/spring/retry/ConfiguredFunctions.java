package dev.resilience.spring.retry;

import dev.resilience.retry.BackoffFunction;
import dev.resilience.retry.RetryFunctions;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.ResultExpression;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** What a retry policy asks of the application: beans by their names, and an expression. */
final class ConfiguredFunctions {

    private static final String RETRY_IF = "retry-if";
    private static final String RETRY_ON_RESULT = "retry-on-result";
    private static final String BACKOFF = "backoff.function";

    static final List<String> KEYS = List.of(RETRY_IF, RETRY_ON_RESULT, BACKOFF);

    private ConfiguredFunctions() {}

    @SuppressWarnings("unchecked") // the type is checked
    static RetryFunctions of(String policy, KindContext context) {
        ResolvableType ofFailures = ResolvableType.forClassWithGenerics(Predicate.class, Throwable.class);
        return new RetryFunctions(
                (Predicate<? super Throwable>) context.bean(RETRY_IF, ofFailures),
                resultRule(policy, context),
                (BackoffFunction) context.bean(BACKOFF, ResolvableType.forClass(BackoffFunction.class)));
    }

    private static @Nullable Predicate<@Nullable Object> resultRule(String policy, KindContext context) {
        String expression = context.text(RETRY_ON_RESULT);
        if (expression == null) {
            return null;
        }
        try {
            return new ResultExpression(expression);
        } catch (IllegalArgumentException invalid) {
            throw new ResilienceConfigurationException(
                    MistakeKind.VALUES,
                    "The retry policy '" + policy + "' has an expression that cannot work:\n\n"
                            + context.describe(RETRY_ON_RESULT, expression) + "\n    Reason: " + invalid.getMessage(),
                    "Write a SpEL expression over #result that is true when the call should be tried again, such as "
                            + "\"#result.status == 'PENDING'\".");
        }
    }
}
