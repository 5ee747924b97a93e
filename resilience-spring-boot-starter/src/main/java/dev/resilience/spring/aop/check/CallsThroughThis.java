package dev.resilience.spring.aop.check;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;

/**
 * Reads from the class file which methods of a class call methods of the same object, inner classes and lambdas
 * included. A class whose file cannot be found or read makes no calls.
 */
final class CallsThroughThis {

    /**
     * A call.
     *
     * @param caller the name of the method in whose source it stands
     * @param callerDescriptor the descriptor of that method, or {@code null} if the call is in a lambda or an inner class
     * @param owner the internal name of the class that the call names
     * @param onSuper whether it is a call of {@code super.method()}
     */
    record Call(
            String caller,
            @Nullable String callerDescriptor,
            String owner,
            String name,
            String descriptor,
            boolean onSuper) {

        String callerName() {
            return caller.replace("()", "");
        }
    }

    private final ClassLoader loader;
    private final String type;
    private final List<Call> calls = new ArrayList<>();

    private CallsThroughThis(ClassLoader loader, String type) {
        this.loader = loader;
        this.type = type;
    }

    public static List<Call> in(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        if (loader == null) {
            return List.of();
        }
        CallsThroughThis found = new CallsThroughThis(loader, type.getName().replace('.', '/'));
        Set<String> inner = found.read(found.type, OperandStack.Value.THIS);
        inner.forEach(name -> found.read(name, OperandStack.Value.INNER));
        return found.calls;
    }

    /** Reads one class and gives the names of its inner classes. */
    private Set<String> read(String name, OperandStack.Value self) {
        try (InputStream file = loader.getResourceAsStream(name + ".class")) {
            if (file == null) {
                return Set.of();
            }
            Methods methods = new Methods(name, self);
            new ClassReader(file).accept(methods, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return methods.inner;
        } catch (IOException | RuntimeException unreadable) {
            // a class file of a later Java, or none at all: the check is a help, not a condition for starting
            return Set.of();
        }
    }

    private final class Methods extends ClassVisitor {

        private final Set<String> inner = new HashSet<>();
        private final String name;
        private final OperandStack.Value self;

        Methods(String name, OperandStack.Value self) {
            super(SpringAsmInfo.ASM_VERSION);
            this.name = name;
            this.self = self;
        }

        @Override
        public void visitInnerClass(
                String innerName, @Nullable String outerName, @Nullable String simpleName, int access) {
            if (innerName.startsWith(name + "$") && (access & Opcodes.ACC_STATIC) == 0) {
                inner.add(innerName);
            }
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String method,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            if ((access & Opcodes.ACC_BRIDGE) != 0) {
                return null;
            }
            boolean named = self == OperandStack.Value.THIS && (access & Opcodes.ACC_SYNTHETIC) == 0;
            String caller = self == OperandStack.Value.INNER ? "an inner class" : sourceName(method);
            return new ThisTracker(
                    self,
                    type,
                    (access & Opcodes.ACC_STATIC) != 0,
                    (owner, called, calledDescriptor, onSuper) -> calls.add(
                            new Call(caller, named ? descriptor : null, owner, called, calledDescriptor, onSuper)));
        }
    }

    /** A lambda is compiled into a method {@code lambda$method$0}. */
    private static String sourceName(String method) {
        if (method.startsWith("<")) {
            return "its constructor";
        }
        return (method.startsWith("lambda$") && method.lastIndexOf('$') > 7
                        ? method.substring(7, method.lastIndexOf('$'))
                        : method)
                + "()";
    }
}
