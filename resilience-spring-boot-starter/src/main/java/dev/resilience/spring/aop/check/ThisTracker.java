package dev.resilience.spring.aop.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows {@code this} through the operand stack of one method and reports the calls that it receives. Everything else
 * on the stack is unknown, and where two branches meet with different values, what they leave is unknown too: a call is
 * reported only if its receiver is certainly {@code this}.
 */
final class ThisTracker extends MethodVisitor {

    /** What is known of a slot of the operand stack. */
    enum Value {
        UNKNOWN,
        /** The object whose calls are looked for. */
        THIS,
        /** An object of an inner class, which holds that object in a field. */
        INNER
    }

    /** Hears of calls. */
    interface Listener {

        /**
         * Reports one call.
         *
         * @param onSuper whether it is a call of {@code super.method()}
         */
        void called(String owner, String name, String descriptor, boolean onSuper);
    }

    private final Value self;
    private final String type;
    private final boolean isStatic;
    private final Listener listener;
    private final Map<Label, List<Value>> atLabels = new HashMap<>();

    /** {@code null} after a jump, up to the next label. One that only a later jump reaches begins with nothing known. */
    private @Nullable List<Value> stack = new ArrayList<>();

    /**
     * @param self what {@code this} is in the method
     * @param type the internal name of the class whose calls are looked for
     */
    ThisTracker(Value self, String type, boolean isStatic, Listener listener) {
        super(SpringAsmInfo.ASM_VERSION);
        this.self = self;
        this.type = type;
        this.isStatic = isStatic;
        this.listener = listener;
    }

    @Override
    public void visitInsn(int opcode) {
        switch (opcode) {
            case Opcodes.DUP -> copy(1, 0);
            case Opcodes.DUP_X1 -> copy(1, 1);
            case Opcodes.DUP_X2 -> copy(1, 2);
            case Opcodes.DUP2 -> copy(2, 0);
            case Opcodes.DUP2_X1 -> copy(2, 1);
            case Opcodes.DUP2_X2 -> copy(2, 2);
            case Opcodes.SWAP -> {
                Value top = pop();
                Value below = pop();
                push(top);
                push(below);
            }
            case Opcodes.IRETURN,
                    Opcodes.LRETURN,
                    Opcodes.FRETURN,
                    Opcodes.DRETURN,
                    Opcodes.ARETURN,
                    Opcodes.RETURN,
                    Opcodes.ATHROW -> stack = null;
            default -> replace(StackEffects.of(opcode));
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        if (opcode != Opcodes.NEWARRAY) {
            push(Value.UNKNOWN);
        }
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
        if (opcode == Opcodes.ALOAD) {
            push(index == 0 && !isStatic ? self : Value.UNKNOWN);
        } else {
            replace(StackEffects.of(opcode));
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String operand) {
        if (opcode == Opcodes.NEW) {
            push(Value.UNKNOWN);
        } else if (opcode == Opcodes.INSTANCEOF) {
            pop();
            push(Value.UNKNOWN);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> replace(size);
            case Opcodes.PUTSTATIC -> replace(-size);
            case Opcodes.PUTFIELD -> replace(-size - 1);
            default -> {
                boolean outer = pop() == Value.INNER && name.startsWith("this$") && descriptor.equals("L" + type + ";");
                if (outer) {
                    push(Value.THIS);
                } else {
                    replace(size);
                }
            }
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        replace(-argumentSize(descriptor));
        if (opcode != Opcodes.INVOKESTATIC && pop() == Value.THIS) {
            listener.called(owner, name, descriptor, opcode == Opcodes.INVOKESPECIAL);
        }
        replace(Type.getReturnType(descriptor).getSize());
    }

    /** A method reference {@code this::method}; what a lambda does is in a method of its own. */
    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        int captured = argumentSize(descriptor);
        boolean capturesThis = stack != null
                && captured > 0
                && stack.size() >= captured
                && stack.get(stack.size() - captured) == Value.THIS;
        for (Object argument : arguments) {
            if (capturesThis
                    && argument instanceof Handle handle
                    && handle.getTag() != Opcodes.H_INVOKESTATIC
                    && handle.getTag() != Opcodes.H_NEWINVOKESPECIAL) {
                listener.called(
                        handle.getOwner(),
                        handle.getName(),
                        handle.getDesc(),
                        handle.getTag() == Opcodes.H_INVOKESPECIAL);
            }
        }
        replace(-captured);
        replace(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitLdcInsn(Object value) {
        replace(value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        replace(1 - dimensions);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        replace(StackEffects.of(opcode));
        reach(label);
        if (opcode == Opcodes.GOTO) {
            stack = null;
        }
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
        leave(otherwise, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        leave(otherwise, labels);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String exception) {
        atLabels.put(handler, List.of(Value.UNKNOWN));
    }

    @Override
    public void visitLabel(Label label) {
        reach(label);
        stack = new ArrayList<>(atLabels.getOrDefault(label, List.of()));
    }

    private void leave(Label otherwise, Label[] labels) {
        pop();
        reach(otherwise);
        for (Label label : labels) {
            reach(label);
        }
        stack = null;
    }

    /** Notes with which stack a label is reached. */
    private void reach(Label label) {
        List<Value> now = stack;
        if (now != null) {
            atLabels.merge(label, List.copyOf(now), ThisTracker::merge);
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

    private void push(Value value) {
        if (stack != null) {
            stack.add(value);
        }
    }

    private Value pop() {
        return stack == null || stack.isEmpty() ? Value.UNKNOWN : stack.remove(stack.size() - 1);
    }

    /** Takes slots away, or adds unknown ones. */
    private void replace(int difference) {
        for (int i = difference; i < 0; i++) {
            pop();
        }
        for (int i = 0; i < difference; i++) {
            push(Value.UNKNOWN);
        }
    }

    /** Copies the uppermost slots to below some more. */
    private void copy(int slots, int below) {
        List<Value> now = stack;
        if (now != null && now.size() >= slots + below) {
            List<Value> copied = List.copyOf(now.subList(now.size() - slots, now.size()));
            now.addAll(now.size() - slots - below, copied);
        } else {
            stack = null;
        }
    }

    private static int argumentSize(String descriptor) {
        return (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
    }
}
