package dev.resilience.spring.idempotency;

import dev.resilience.spring.idempotency.fingerprint.StableTexts;
import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ReflectionUtils;

/** The parts of a key expression whose texts are the key's, and what is known of their types at startup. */
final class KeyOperands {

    private final List<SpelNode> nodes = new ArrayList<>();
    private final Map<String, Integer> arguments;
    private final Method method;

    KeyOperands(SpelNode root, Map<String, Integer> arguments, Method method) {
        this.arguments = arguments;
        this.method = method;
        add(root);
    }

    private void add(SpelNode node) {
        boolean isChoice = node instanceof Ternary;
        if (isChoice || node instanceof Elvis || node instanceof OpPlus) {
            for (int i = isChoice ? 1 : 0; i < node.getChildCount(); i++) {
                add(node.getChild(i));
            }
        } else {
            nodes.add(node);
        }
    }

    /** Which arguments are an operand each. */
    int[] wholeArguments() {
        return nodes.stream()
                .filter(VariableReference.class::isInstance)
                .mapToInt(node -> arguments.getOrDefault(name(node), -1))
                .filter(index -> index >= 0)
                .toArray();
    }

    private static String name(SpelNode variable) {
        return variable.toStringAST().substring(1);
    }

    /** Those whose text is not certain for any arguments. */
    List<String> mistakes() {
        List<String> mistakes = new ArrayList<>();
        for (SpelNode node : nodes) {
            ResolvableType known = type(node);
            ResolvableType type = known.resolve() == Optional.class ? known.getGeneric() : known;
            String why = StableTexts.whyNot(type.resolve(Object.class));
            if (why != null) {
                mistakes.add("'" + node.toStringAST() + "' is a " + type + ", " + why);
            }
        }
        return mistakes;
    }

    /** {@link ResolvableType#NONE} if only a call can tell. */
    private ResolvableType type(SpelNode node) {
        if (node instanceof VariableReference) {
            Integer index = arguments.get(name(node));
            return index == null ? ResolvableType.NONE : ResolvableType.forMethodParameter(method, index);
        }
        if (!(node instanceof CompoundExpression)) {
            return ResolvableType.NONE;
        }
        ResolvableType type = type(node.getChild(0));
        for (int i = 1; i < node.getChildCount(); i++) {
            Class<?> owner = type.resolve(Object.class);
            Method getter = getter(owner, node.getChild(i));
            type = getter == null ? ResolvableType.NONE : ResolvableType.forMethodReturnType(getter, owner);
        }
        return type;
    }

    private static @Nullable Method getter(Class<?> owner, SpelNode node) {
        if (node instanceof MethodReference called) {
            return called.getChildCount() == 0 ? ReflectionUtils.findMethod(owner, called.getName()) : null;
        }
        if (!(node instanceof PropertyOrFieldReference property)) {
            return null;
        }
        PropertyDescriptor known = BeanUtils.getPropertyDescriptor(owner, property.getName());
        return known == null ? ReflectionUtils.findMethod(owner, property.getName()) : known.getReadMethod();
    }
}
