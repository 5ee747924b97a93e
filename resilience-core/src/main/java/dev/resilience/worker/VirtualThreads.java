package dev.resilience.worker;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Virtual threads where the JDK has them, which is from 21 on: this library is compiled for 17. */
public final class VirtualThreads {

    private static final @Nullable MethodHandle FACTORY = find();

    private VirtualThreads() {}

    /** Whether this JDK has them. */
    public static boolean exist() {
        return FACTORY != null;
    }

    /**
     * Makes virtual threads.
     *
     * @param prefix what their names begin with; a number follows
     * @throws UnsupportedOperationException if this JDK has none
     */
    public static ThreadFactory named(String prefix) {
        MethodHandle factory = FACTORY;
        if (factory == null) {
            throw new UnsupportedOperationException("Java " + Runtime.version().feature() + " has no virtual threads");
        }
        try {
            return (ThreadFactory) factory.invoke(prefix);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** {@code Thread.ofVirtual().inheritInheritableThreadLocals(false).name(prefix, 1).factory()}. */
    private static @Nullable MethodHandle find() {
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        try {
            Class<?> builder = Class.forName("java.lang.Thread$Builder$OfVirtual");
            MethodHandle ofVirtual = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(builder));
            MethodHandle inherit = lookup.findVirtual(
                    builder, "inheritInheritableThreadLocals", MethodType.methodType(builder, boolean.class));
            MethodHandle plain =
                    MethodHandles.collectArguments(MethodHandles.insertArguments(inherit, 1, false), 0, ofVirtual);
            MethodHandle name =
                    lookup.findVirtual(builder, "name", MethodType.methodType(builder, String.class, long.class));
            MethodHandle factory = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
            MethodHandle named = MethodHandles.collectArguments(MethodHandles.insertArguments(name, 2, 1L), 0, plain);
            return MethodHandles.filterReturnValue(named, factory);
        } catch (ReflectiveOperationException olderJdk) {
            return null;
        }
    }
}
