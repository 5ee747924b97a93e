package dev.resilience.spring.aop.check;

import dev.resilience.spring.aop.check.OperandStack.Value;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Follows {@code this} through the {@linkplain OperandStack operand stack} of one method and reports the calls that it
 * receives, if the receiver is certainly {@code this}.
 */
final class ThisTracker extends MethodVisitor {

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
    private final OperandStack stack = new OperandStack();

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
            case Opcodes.DUP -> stack.copy(1, 0);
            case Opcodes.DUP_X1 -> stack.copy(1, 1);
            case Opcodes.DUP_X2 -> stack.copy(1, 2);
            case Opcodes.DUP2 -> stack.copy(2, 0);
            case Opcodes.DUP2_X1 -> stack.copy(2, 1);
            case Opcodes.DUP2_X2 -> stack.copy(2, 2);
            case Opcodes.SWAP -> {
                Value top = stack.pop();
                Value below = stack.pop();
                stack.push(top);
                stack.push(below);
            }
            case Opcodes.IRETURN,
                    Opcodes.LRETURN,
                    Opcodes.FRETURN,
                    Opcodes.DRETURN,
                    Opcodes.ARETURN,
                    Opcodes.RETURN,
                    Opcodes.ATHROW -> stack.leave();
            default -> stack.replace(StackEffects.of(opcode));
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        if (opcode != Opcodes.NEWARRAY) {
            stack.push(Value.UNKNOWN);
        }
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
        if (opcode == Opcodes.ALOAD) {
            stack.push(index == 0 && !isStatic ? self : Value.UNKNOWN);
        } else {
            stack.replace(StackEffects.of(opcode));
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String operand) {
        if (opcode == Opcodes.NEW) {
            stack.push(Value.UNKNOWN);
        } else if (opcode == Opcodes.INSTANCEOF) {
            stack.pop();
            stack.push(Value.UNKNOWN);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        switch (opcode) {
            case Opcodes.GETSTATIC -> stack.replace(size);
            case Opcodes.PUTSTATIC -> stack.replace(-size);
            case Opcodes.PUTFIELD -> stack.replace(-size - 1);
            default -> {
                boolean outer =
                        stack.pop() == Value.INNER && name.startsWith("this$") && descriptor.equals("L" + type + ";");
                if (outer) {
                    stack.push(Value.THIS);
                } else {
                    stack.replace(size);
                }
            }
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        stack.replace(-argumentSize(descriptor));
        if (opcode != Opcodes.INVOKESTATIC && stack.pop() == Value.THIS) {
            listener.called(owner, name, descriptor, opcode == Opcodes.INVOKESPECIAL);
        }
        stack.replace(Type.getReturnType(descriptor).getSize());
    }

    /** A method reference {@code this::method}; what a lambda does is in a method of its own. */
    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        int captured = argumentSize(descriptor);
        boolean capturesThis = captured > 0 && stack.fromTop(captured) == Value.THIS;
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
        stack.replace(-captured);
        stack.replace(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitLdcInsn(Object value) {
        stack.replace(value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        stack.replace(1 - dimensions);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        stack.replace(StackEffects.of(opcode));
        stack.reach(label);
        if (opcode == Opcodes.GOTO) {
            stack.leave();
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
        stack.catches(handler);
    }

    @Override
    public void visitLabel(Label label) {
        stack.enter(label);
    }

    private void leave(Label otherwise, Label[] labels) {
        stack.pop();
        stack.reach(otherwise);
        for (Label label : labels) {
            stack.reach(label);
        }
        stack.leave();
    }

    private static int argumentSize(String descriptor) {
        return (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
    }
}
