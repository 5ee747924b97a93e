package dev.resilience.spring.aop.check;

import org.springframework.asm.Opcodes;

/**
 * By how many slots an instruction without operands, of a variable or of a jump changes the operand stack. What it
 * leaves there stands where numbers or arrays have been, so that only the number of slots matters.
 */
final class StackEffects {

    private StackEffects() {}

    static int of(int opcode) {
        return switch (opcode) {
            case Opcodes.LCONST_0, Opcodes.LCONST_1, Opcodes.DCONST_0, Opcodes.DCONST_1, Opcodes.LLOAD, Opcodes.DLOAD ->
                2;
            case Opcodes.ACONST_NULL,
                    Opcodes.ICONST_M1,
                    Opcodes.ICONST_0,
                    Opcodes.ICONST_1,
                    Opcodes.ICONST_2,
                    Opcodes.ICONST_3,
                    Opcodes.ICONST_4,
                    Opcodes.ICONST_5,
                    Opcodes.FCONST_0,
                    Opcodes.FCONST_1,
                    Opcodes.FCONST_2,
                    Opcodes.ILOAD,
                    Opcodes.FLOAD,
                    Opcodes.I2L,
                    Opcodes.I2D,
                    Opcodes.F2L,
                    Opcodes.F2D -> 1;
            case Opcodes.IALOAD,
                    Opcodes.FALOAD,
                    Opcodes.AALOAD,
                    Opcodes.BALOAD,
                    Opcodes.CALOAD,
                    Opcodes.SALOAD,
                    Opcodes.ISTORE,
                    Opcodes.FSTORE,
                    Opcodes.ASTORE,
                    Opcodes.POP,
                    Opcodes.IADD,
                    Opcodes.FADD,
                    Opcodes.ISUB,
                    Opcodes.FSUB,
                    Opcodes.IMUL,
                    Opcodes.FMUL,
                    Opcodes.IDIV,
                    Opcodes.FDIV,
                    Opcodes.IREM,
                    Opcodes.FREM,
                    Opcodes.ISHL,
                    Opcodes.LSHL,
                    Opcodes.ISHR,
                    Opcodes.LSHR,
                    Opcodes.IUSHR,
                    Opcodes.LUSHR,
                    Opcodes.IAND,
                    Opcodes.IOR,
                    Opcodes.IXOR,
                    Opcodes.L2I,
                    Opcodes.L2F,
                    Opcodes.D2I,
                    Opcodes.D2F,
                    Opcodes.FCMPL,
                    Opcodes.FCMPG,
                    Opcodes.MONITORENTER,
                    Opcodes.MONITOREXIT,
                    Opcodes.IFEQ,
                    Opcodes.IFNE,
                    Opcodes.IFLT,
                    Opcodes.IFGE,
                    Opcodes.IFGT,
                    Opcodes.IFLE,
                    Opcodes.IFNULL,
                    Opcodes.IFNONNULL -> -1;
            case Opcodes.LSTORE,
                    Opcodes.DSTORE,
                    Opcodes.POP2,
                    Opcodes.LADD,
                    Opcodes.DADD,
                    Opcodes.LSUB,
                    Opcodes.DSUB,
                    Opcodes.LMUL,
                    Opcodes.DMUL,
                    Opcodes.LDIV,
                    Opcodes.DDIV,
                    Opcodes.LREM,
                    Opcodes.DREM,
                    Opcodes.LAND,
                    Opcodes.LOR,
                    Opcodes.LXOR,
                    Opcodes.IF_ICMPEQ,
                    Opcodes.IF_ICMPNE,
                    Opcodes.IF_ICMPLT,
                    Opcodes.IF_ICMPGE,
                    Opcodes.IF_ICMPGT,
                    Opcodes.IF_ICMPLE,
                    Opcodes.IF_ACMPEQ,
                    Opcodes.IF_ACMPNE -> -2;
            case Opcodes.IASTORE,
                    Opcodes.FASTORE,
                    Opcodes.AASTORE,
                    Opcodes.BASTORE,
                    Opcodes.CASTORE,
                    Opcodes.SASTORE,
                    Opcodes.LCMP,
                    Opcodes.DCMPL,
                    Opcodes.DCMPG -> -3;
            case Opcodes.LASTORE, Opcodes.DASTORE -> -4;
            default -> 0;
        };
    }
}
