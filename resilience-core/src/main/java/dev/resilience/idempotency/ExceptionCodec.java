package dev.resilience.idempotency;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a failure that is a final answer as its class name and message, and rebuilds it through its constructor with one
 * {@code String}. Classes that the policy does not list are never loaded, whatever the store holds.
 */
final class ExceptionCodec {

    private final List<Class<? extends Throwable>> listed;

    ExceptionCodec(List<Class<? extends Throwable>> listed) {
        this.listed = listed;
    }

    static boolean canRebuild(Class<? extends Throwable> type) {
        return constructor(type) != null;
    }

    /** Whether the policy lists this failure or a supertype of it as a final answer. */
    boolean isFinalAnswer(Throwable failure) {
        return canRebuild(failure.getClass()) && listed.stream().anyMatch(type -> type.isInstance(failure));
    }

    byte[] write(Throwable failure) {
        String message = failure.getMessage();
        String text = failure.getClass().getName() + (message == null ? "" : "\n" + message);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    Throwable read(byte[] content) throws ReflectiveOperationException {
        String[] nameAndMessage = new String(content, StandardCharsets.UTF_8).split("\n", 2);
        Constructor<? extends Throwable> constructor = constructor(find(nameAndMessage[0]));
        if (constructor == null) {
            throw new NoSuchMethodException(nameAndMessage[0] + "(String)");
        }
        return constructor.newInstance(nameAndMessage.length == 2 ? nameAndMessage[1] : null);
    }

    private Class<? extends Throwable> find(String name) throws ClassNotFoundException {
        for (Class<? extends Throwable> type : listed) {
            if (type.getName().equals(name)) {
                return type;
            }
        }
        for (Class<? extends Throwable> type : listed) {
            Class<?> found = Class.forName(name, false, type.getClassLoader());
            if (type.isAssignableFrom(found)) {
                return found.asSubclass(Throwable.class);
            }
        }
        throw new ClassNotFoundException(name + " is not among replay-exceptions");
    }

    private static <T extends Throwable> @Nullable Constructor<T> constructor(Class<T> type) {
        try {
            boolean abstractType = Modifier.isAbstract(type.getModifiers());
            return abstractType ? null : type.getConstructor(String.class);
        } catch (NoSuchMethodException none) {
            return null;
        }
    }
}
