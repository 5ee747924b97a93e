package dev.resilience.spring.aop.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Label;

/**
 * What is known of the operand stack of a method, from instruction to instruction. Where two branches meet with different
 * values, what they leave is unknown.
 */
final class OperandStack {

    /** What is known of a slot of the operand stack. */
    enum Value {
        UNKNOWN,
        /** The object whose calls are looked for. */
        THIS,
        /** An object of an inner class, which holds that object in a field. */
        INNER
    }

    private final Map<Label, List<Value>> atLabels = new HashMap<>();

    /** {@code null} after a jump, up to the next label. One that only a later jump reaches begins with nothing known. */
    private @Nullable List<Value> stack = new ArrayList<>();

    /** Notes with which stack a label is reached. */
    void reach(Label label) {
        List<Value> now = stack;
        if (now != null) {
            atLabels.merge(label, List.copyOf(now), OperandStack::merge);
        }
    }

    private static List<Value> merge(List<Value> one, List<Value> other) {
        List<Value> merged = new ArrayList<>();
        for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
            boolean same = one.size() == other.size() && one.get(i) == other.get(i);
            merged.add(same ? one.get(i) : Value.UNKNOWN);
        }
        return merged;
    }

    void push(Value value) {
        if (stack != null) {
            stack.add(value);
        }
    }

    Value pop() {
        return stack == null || stack.isEmpty() ? Value.UNKNOWN : stack.remove(stack.size() - 1);
    }

    /** Takes slots away, or adds unknown ones. */
    void replace(int difference) {
        for (int i = difference; i < 0; i++) {
            pop();
        }
        for (int i = 0; i < difference; i++) {
            push(Value.UNKNOWN);
        }
    }

    /** Copies the uppermost slots to below some more. */
    void copy(int slots, int below) {
        List<Value> now = stack;
        if (now != null && now.size() >= slots + below) {
            List<Value> copied = List.copyOf(now.subList(now.size() - slots, now.size()));
            now.addAll(now.size() - slots - below, copied);
        } else {
            stack = null;
        }
    }

    /** The slot that is so far from the top, which is the first. */
    Value fromTop(int slot) {
        List<Value> now = stack;
        return now == null || now.size() < slot ? Value.UNKNOWN : now.get(now.size() - slot);
    }

    /** The next instruction does not follow on this one. */
    void leave() {
        stack = null;
    }

    /** A handler of exceptions begins here, with the exception alone. */
    void catches(Label handler) {
        atLabels.put(handler, List.of(Value.UNKNOWN));
    }

    /** The instructions after a label follow. */
    void enter(Label label) {
        reach(label);
        stack = new ArrayList<>(atLabels.getOrDefault(label, List.of()));
    }
}
