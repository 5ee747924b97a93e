package dev.resilience.spring.aop;

import static dev.resilience.spring.WarningId.SELF_INVOCATION;

import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.MethodNames;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/**
 * Warns about protected methods that their own object calls, because such a call does not pass the proxy. Reads the class
 * files of a bean's class and its superclasses. A method that touches another object of its own type, such as an injected
 * reference to the bean, is left out: its calls may be made on that one.
 */
record SelfInvocationCheck(StartupWarnings warnings) {

    private static final String LAMBDA = "lambda$";

    void check(Class<?> type, Map<Method, ResilienceAnnotations> methods) {
        Calls calls = new Calls(type, methods);
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            try (InputStream file = at.getResourceAsStream(ClassUtils.getClassFileName(at))) {
                if (file != null) {
                    new ClassReader(file).accept(calls, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                }
            } catch (IOException | IllegalArgumentException unreadable) {
                return; // a newer class file than Spring reads: there is no warning
            }
        }
        String self = type.getSimpleName();
        calls.callers.forEach(
                (called, callers) -> warnings.add(SELF_INVOCATION.of("The method " + MethodNames.full(called, type)
                        + " is called through 'this' by " + String.join(", ", callers) + ", which skips its "
                        + methods.get(called) + ": only calls from outside pass the proxy. Move it to another bean, "
                        + "or give the bean itself ('@Lazy " + self + " self' or 'ObjectProvider<" + self
                        + ">') and call self." + called.getName() + "(…)")));
    }

    /** The calls of protected methods in the files of a class and its superclasses. */
    private static final class Calls extends ClassVisitor {

        private final Map<Method, ResilienceAnnotations> methods;
        private final Map<String, Method> bySignature = new HashMap<>();
        private final Map<Method, Set<String>> callers = new HashMap<>();
        private final Set<String> types = new HashSet<>();

        Calls(Class<?> type, Map<Method, ResilienceAnnotations> methods) {
            super(SpringAsmInfo.ASM_VERSION);
            this.methods = methods;
            methods.keySet()
                    .forEach(method -> bySignature.put(method.getName() + Type.getMethodDescriptor(method), method));
            for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
                types.add(Type.getInternalName(at));
            }
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String generic, String @Nullable [] thrown) {
            boolean hasThis = (access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) == 0;
            return hasThis ? new Body(name, descriptor) : null;
        }

        private final class Body extends MethodVisitor {

            private final String name;
            private final @Nullable Method caller;
            private final Set<Method> called = new HashSet<>();
            private boolean touchesAnother;

            Body(String name, String descriptor) {
                super(SpringAsmInfo.ASM_VERSION);
                this.name = name.startsWith(LAMBDA) ? name.substring(LAMBDA.length(), name.lastIndexOf('$')) : name;
                this.caller = bySignature.get(name + descriptor);
                List.of(Type.getArgumentTypes(descriptor)).forEach(this::touch);
            }

            private void touch(Type type) {
                Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
                touchesAnother |= element.getSort() == Type.OBJECT && types.contains(element.getInternalName());
            }

            /** Notes a call of a protected method, unless the proxy does for the caller all that it does for that method. */
            private void call(String owner, String signature) {
                Method found = types.contains(owner) ? bySignature.get(signature) : null;
                ResilienceAnnotations protection = methods.get(found);
                ResilienceAnnotations ofCaller = methods.get(caller);
                boolean isCovered = ofCaller != null
                        && protection != null
                        && ofCaller.byType()
                                .values()
                                .containsAll(protection.byType().values());
                if (found != null && !found.equals(caller) && !isCovered) {
                    called.add(found);
                }
            }

            @Override
            public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean itf) {
                if (opcode == Opcodes.INVOKEVIRTUAL) {
                    call(owner, method + descriptor);
                }
                touch(Type.getReturnType(descriptor));
            }

            @Override
            public void visitInvokeDynamicInsn(String method, String descriptor, Handle made, Object... arguments) {
                for (Object argument : arguments) {
                    if (argument instanceof Handle handle
                            && handle.getTag() == Opcodes.H_INVOKEVIRTUAL) { // this::place
                        call(handle.getOwner(), handle.getName() + handle.getDesc());
                    }
                }
            }

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
                touch(Type.getType(descriptor));
            }

            @Override
            public void visitTypeInsn(int opcode, String type) {
                touch(Type.getObjectType(type));
            }

            @Override
            public void visitEnd() {
                for (Method method : touchesAnother ? Set.<Method>of() : called) {
                    callers.computeIfAbsent(method, key -> new TreeSet<>())
                            .add(name.equals("<init>") || name.equals("new") ? "its constructor" : name + "()");
                }
            }
        }
    }
}
