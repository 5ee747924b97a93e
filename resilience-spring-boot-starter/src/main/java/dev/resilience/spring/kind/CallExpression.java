package dev.resilience.spring.kind;

import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * A SpEL expression over what a call has, its arguments or its result. It is parsed and checked once, reads properties and calls
 * methods, and can do nothing else. Safe for use by many threads.
 */
public final class CallExpression {

    private static final List<Class<?>> NOT_AVAILABLE = List.of(
            Assign.class,
            OpInc.class,
            OpDec.class,
            BeanReference.class,
            TypeReference.class,
            ConstructorReference.class);

    private final SpelExpression expression;
    private final String noun;
    private final Map<String, Integer> known;
    private final Map<String, Integer> used = new LinkedHashMap<>();
    private final Set<Integer> whole = new LinkedHashSet<>();
    private final Set<String> problems = new LinkedHashSet<>();
    private final @Nullable Integer argument; // the expression is an argument, as it mostly is: nothing to be evaluated

    /**
     * Over the arguments of a method.
     *
     * @throws IllegalArgumentException if it does not parse or names no argument; the message says why
     */
    public static CallExpression ofArguments(String text, Method method) {
        return new CallExpression(text, "argument", arguments(method));
    }

    /**
     * Refuses a method whose expression cannot work.
     *
     * @param purpose the attribute of the annotation
     * @param examples what could be written there, in the words of a cure
     * @param parser throws as {@link #ofArguments}
     * @throws ResilienceConfigurationException that names the method
     */
    public static <E> E checked(
            String purpose,
            String text,
            ProtectedMethod<?> method,
            String examples,
            BiFunction<String, Method, E> parser) {
        try {
            return parser.apply(text, method.method());
        } catch (IllegalArgumentException invalid) {
            throw new ResilienceConfigurationException(
                    "The " + purpose + " expression \"" + text + "\" of the @"
                            + method.annotation().annotationType().getSimpleName() + " method "
                            + MethodNames.full(method.method(), method.type()) + " cannot work: "
                            + invalid.getMessage(),
                    "Write a SpEL expression over the arguments, such as " + examples
                            + ". Names need classes compiled with '-parameters'.");
        }
    }

    /** Over {@code #result}; throws as {@link #ofArguments}. */
    static CallExpression ofResult(String text) {
        return new CallExpression(text, "variable", Map.of("result", 0));
    }

    /** @param noun what the names stand for, in messages */
    private CallExpression(String text, String noun, Map<String, Integer> known) {
        try {
            this.expression = new SpelExpressionParser().parseRaw(text);
        } catch (ParseException | IllegalArgumentException | IllegalStateException invalid) {
            throw new IllegalArgumentException("it does not parse: " + invalid.getMessage(), invalid);
        }
        this.noun = noun;
        this.known = known;
        check(expression.getAST(), false, true);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems) + "; " + noun + "s are: " + names());
        }
        if (used.isEmpty()) {
            throw new IllegalArgumentException(
                    "it names no " + noun + "; " + noun + "s are written with '#': " + names());
        }
        this.argument = expression.getAST() instanceof VariableReference
                ? used.values().iterator().next()
                : null;
    }

    /**
     * Looks at a node.
     *
     * @param forElements whether it is evaluated for each element of a list, which is {@code #this}
     * @param isText whether the expression gives its value, or a text that has its text in it
     */
    private void check(SpelNode node, boolean forElements, boolean isText) {
        String name = node instanceof VariableReference ? node.toStringAST().substring(1) : null;
        if (name != null && !(forElements && name.equals("this"))) {
            Integer index = known.get(name);
            if (index == null) {
                problems.add("'#" + name + "' is no " + noun);
            } else {
                used.put(name, index);
                if (isText) {
                    whole.add(index);
                }
            }
        }
        if (NOT_AVAILABLE.stream().anyMatch(type -> type.isInstance(node))) {
            problems.add("'" + node.toStringAST() + "' is not available here");
        }
        boolean areForElements = forElements || node instanceof Selection || node instanceof Projection;
        boolean isChoice = node instanceof Ternary;
        boolean areTexts = isText && (isChoice || node instanceof Elvis || node instanceof OpPlus);
        for (int i = 0; i < node.getChildCount(); i++) {
            check(node.getChild(i), areForElements, areTexts && !(isChoice && i == 0));
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

    private String names() {
        String names = known.entrySet().stream()
                .filter(name -> !name.getKey().equals("a" + name.getValue()))
                .map(name -> "#" + name.getKey())
                .sorted()
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "none, because the method has no parameters" : names;
    }

    /** The arguments that are its value, or a part of the text that it makes. */
    public Set<Integer> wholeArguments() {
        return whole;
    }

    public boolean isArgument() {
        return argument != null;
    }

    /** Its value for the arguments of a call; {@code null} also where it asks {@code null} for something. */
    public @Nullable Object value(@Nullable Object[] arguments) {
        if (argument != null) {
            return arguments[argument];
        }
        try {
            return evaluate(null, arguments);
        } catch (EvaluationException failed) {
            if (failed instanceof SpelEvaluationException spel
                    && (spel.getMessageCode() == SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL
                            || spel.getMessageCode() == SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED)) {
                return null;
            }
            throw new IllegalStateException("The expression '" + this + "' cannot be evaluated", failed);
        }
    }

    /** Its value, converted to a type if there is one; fails where it cannot be evaluated. */
    <T> @Nullable T evaluate(@Nullable Class<T> type, @Nullable Object... values) {
        SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .build();
        used.forEach((name, index) -> context.setVariable(name, values[index]));
        return expression.getValue(context, type);
    }

    @Override
    public String toString() {
        return expression.getExpressionString();
    }
}
