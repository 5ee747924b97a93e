package dev.resilience.spring.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.fingerprint.IdentityTexts;
import dev.resilience.spring.idempotency.fingerprint.StableTexts;
import dev.resilience.spring.idempotency.http.request.KeySource;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** A SpEL expression over the arguments; parsed and checked once, reads properties and calls methods of arguments. */
final class KeyExpression implements KeySource {

    private static final String CURE = "take a value with a text that is always the same, such as an id";

    private final SpelExpression expression;
    private final Map<String, Integer> variables;
    private final boolean required;
    private final int[] joined; // the arguments that an expression makes a text of
    private final @Nullable Integer argument; // the whole expression, as it mostly is: nothing to be evaluated

    private KeyExpression(SpelExpression expression, Map<String, Integer> variables, int[] joined, boolean required) {
        this.joined = joined;
        this.required = required;
        this.expression = expression;
        this.variables = variables;
        this.argument = expression.getAST() instanceof VariableReference
                ? variables.values().iterator().next()
                : null;
    }

    /**
     * Parses and checks an expression.
     *
     * @param required whether a call for which the expression gives {@code null} is refused
     * @throws IllegalArgumentException if it does not parse or cannot give a key; the message says why
     */
    static KeyExpression parse(String text, Method method, boolean required) {
        SpelExpression expression;
        try {
            expression = new SpelExpressionParser().parseRaw(text);
        } catch (ParseException | IllegalArgumentException | IllegalStateException invalid) {
            throw new IllegalArgumentException("it does not parse: " + invalid.getMessage(), invalid);
        }
        Map<String, Integer> arguments = arguments(method);
        Map<String, Integer> used = new LinkedHashMap<>();
        Set<String> mistakes = new LinkedHashSet<>();
        collect(expression.getAST(), arguments, used, mistakes, false);
        if (!mistakes.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", mistakes) + "; arguments are: " + names(arguments));
        }
        if (used.isEmpty()) {
            throw new IllegalArgumentException(
                    "it names no argument; arguments are written with '#': " + names(arguments));
        }
        KeyOperands operands = new KeyOperands(expression.getAST(), arguments, method);
        List<String> uncertain = operands.mistakes();
        if (!uncertain.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", uncertain) + "; " + CURE);
        }
        return new KeyExpression(expression, used, operands.wholeArguments(), required);
    }

    /** Each element of a list is {@code #this} while it is chosen or turned into something else. */
    private static void collect(
            SpelNode node,
            Map<String, Integer> arguments,
            Map<String, Integer> used,
            Set<String> mistakes,
            boolean forElements) {
        String name = node instanceof VariableReference ? node.toStringAST().substring(1) : null;
        if (name != null && !(forElements && name.equals("this"))) {
            Integer index = arguments.get(name);
            if (index == null) {
                mistakes.add("'#" + name + "' is no argument");
            } else {
                used.put(name, index);
            }
        }
        if (node instanceof BeanReference || node instanceof TypeReference || node instanceof ConstructorReference) {
            mistakes.add("'" + node.toStringAST() + "' is not available in keys");
        }
        boolean isForElements = forElements || node instanceof Selection || node instanceof Projection;
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), arguments, used, mistakes, isForElements);
        }
    }

    private static Map<String, Integer> arguments(Method method) {
        Map<String, Integer> arguments = new LinkedHashMap<>();
        @Nullable String @Nullable [] names = new DefaultParameterNameDiscoverer().getParameterNames(method);
        int count = SuspendingFunctions.parameterCount(method);
        for (int i = 0; i < count; i++) {
            arguments.put("p" + i, i);
            arguments.put("a" + i, i);
        }
        for (int i = 0; names != null && i < count; i++) {
            if (names[i] != null) {
                arguments.put(names[i], i); // also where it is called 'a1' and stands elsewhere
            }
        }
        return arguments;
    }

    private static String names(Map<String, Integer> arguments) {
        Set<String> names = new TreeSet<>();
        arguments.forEach((name, index) -> {
            if (!name.equals("a" + index)) {
                names.add("#" + name);
            }
        });
        return names.isEmpty() ? "none, for the method has no parameters" : String.join(", ", names);
    }

    @Override
    public @Nullable String key(Invocation invocation) {
        @Nullable Object[] arguments = invocation.arguments();
        Object given = argument != null ? arguments[argument] : evaluate(arguments);
        Object key = unwrapped(given);
        if (key == null && !required) {
            return null;
        }
        if (key == null) {
            throw new IdempotencyKeyMissingException("The call has no idempotency key: '"
                    + expression.getExpressionString() + "' is " + (given == null ? "null" : "empty"));
        }
        if (argument != null && key instanceof String text) {
            return text;
        }
        String text = text(key);
        Object source = key instanceof String
                ? variables.values().stream().map(i -> arguments[i]).toArray()
                : key;
        Object found = IdentityTexts.find(text, source);
        if (found != null) {
            throw noText(key, found);
        }
        refuseUncertain(text, key);
        for (int i = 0; key instanceof String && i < joined.length; i++) {
            refuseUncertain(text, unwrapped(arguments[joined[i]]));
        }
        return text;
    }

    private void refuseUncertain(String text, @Nullable Object value) {
        Object found = value == null ? null : StableTexts.find(text, value);
        if (found != null && value != null) {
            String part =
                    found == value ? "" : "whose text has a " + found.getClass().getName() + " in it, ";
            throw invalid(value, part + StableTexts.whyNot(found));
        }
    }

    private String text(Object key) {
        try {
            return key.toString();
        } catch (StackOverflowError endless) {
            throw invalid(key, "which contains itself");
        }
    }

    private IdempotencyKeyInvalidException noText(Object key, Object found) {
        String why = "which has no toString() of its own";
        if (found != key) {
            String part = found.getClass().isArray()
                    ? "an array"
                    : "a " + found.getClass().getName();
            why = "whose text has " + part + " in it, " + why + " and so is another text every time";
        }
        return invalid(key, why);
    }

    private IdempotencyKeyInvalidException invalid(Object key, String why) {
        return new IdempotencyKeyInvalidException("The idempotency key '" + expression.getExpressionString() + "' is a "
                + key.getClass().getName() + ", " + why + "; " + CURE);
    }

    private static @Nullable Object unwrapped(@Nullable Object given) {
        if (given instanceof Optional<?> optional) {
            return optional.orElse(null);
        }
        if (given instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        if (given instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        }
        if (given instanceof OptionalDouble optional) {
            return optional.isPresent() ? optional.getAsDouble() : null;
        }
        return given;
    }

    private @Nullable Object evaluate(@Nullable Object[] arguments) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .build();
        variables.forEach((name, index) -> context.setVariable(name, arguments[index]));
        try {
            return expression.getValue(context);
        } catch (SpelEvaluationException failed) {
            if (failed.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                    || failed.getMessageCode() == SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED) {
                return null;
            }
            throw cannotEvaluate(failed);
        } catch (EvaluationException failed) {
            throw cannotEvaluate(failed);
        }
    }

    private IllegalStateException cannotEvaluate(EvaluationException failed) {
        return new IllegalStateException(
                "The key expression '" + expression.getExpressionString() + "' cannot be evaluated", failed);
    }
}
