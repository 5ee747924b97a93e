package dev.resilience.idempotency;

import dev.resilience.exception.ResilienceException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes a failure that is a final answer as its class name and message, and rebuilds it by passing the message to its
 * constructor with one {@code String}. Only a listed exception or a subclass of one is ever instantiated, whatever the
 * store holds.
 */
final class ExceptionCodec {

    private final List<Class<? extends Throwable>> listed;
    private final IdempotencyReports reports;

    /** Classes that were thrown here, for those that no class loader at hand would find by name. */
    private final ConcurrentMap<String, Class<? extends Throwable>> seen = new ConcurrentHashMap<>();

    ExceptionCodec(List<Class<? extends Throwable>> listed, IdempotencyReports reports) {
        this.listed = listed;
        this.reports = reports;
    }

    static boolean canRebuild(Class<? extends Throwable> type) {
        return constructor(type) != null;
    }

    /**
     * What is stored of a failure; {@code null} unless it is a final answer, which the policy lists, itself or a supertype of
     * it, and which can be rebuilt: if not as itself, as the closest of its superclasses that can. A refusal is no answer of
     * the method, which may not have run: it must be listed as what it is, not as some {@link RuntimeException}.
     */
    byte @Nullable [] write(Throwable failure) {
        Class<?> root = ResilienceException.isRefusal(failure) ? ResilienceException.class : Throwable.class;
        if (listed.stream().noneMatch(type -> root.isAssignableFrom(type) && type.isInstance(failure))) {
            return null;
        }
        String message = failure.getMessage();
        for (Class<?> type = failure.getClass(); isListed(type); type = type.getSuperclass()) {
            Class<? extends Throwable> candidate = type.asSubclass(Throwable.class);
            if (rebuilt(candidate, message) != null) {
                seen.putIfAbsent(type.getName(), candidate);
                String text = type.getName() + (message == null ? "" : "\n" + message);
                return text.getBytes(StandardCharsets.UTF_8);
            }
        }
        reports.notReplayed(failure.getClass().getName());
        return null;
    }

    private static @Nullable Throwable rebuilt(Class<? extends Throwable> type, @Nullable String argument) {
        try {
            Constructor<? extends Throwable> constructor = constructor(type);
            return constructor == null ? null : constructor.newInstance(argument);
        } catch (ReflectiveOperationException failed) {
            return null;
        }
    }

    Throwable read(byte[] content) throws ReflectiveOperationException {
        String[] nameAndMessage = new String(content, StandardCharsets.UTF_8).split("\n", 2);
        Constructor<? extends Throwable> constructor = constructor(find(nameAndMessage[0]));
        if (constructor == null) {
            throw new NoSuchMethodException(nameAndMessage[0] + "(String)");
        }
        return constructor.newInstance(nameAndMessage.length == 2 ? nameAndMessage[1] : null);
    }

    private boolean isListed(Class<?> type) {
        return listed.stream().anyMatch(candidate -> candidate.isAssignableFrom(type));
    }

    private Class<? extends Throwable> find(String name) throws ClassNotFoundException {
        Class<? extends Throwable> known = seen.get(name);
        if (known != null) {
            return known;
        }
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        Stream<ClassLoader> loaders =
                Stream.concat(listed.stream().map(Class::getClassLoader), Stream.ofNullable(ofThread));
        return loaders.map(loader -> load(name, loader))
                .filter(found -> found != null && isListed(found))
                .findFirst()
                .orElseThrow(() -> new ClassNotFoundException(name + " is not among replay-exceptions"))
                .asSubclass(Throwable.class);
    }

    private static @Nullable Class<?> load(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException notThere) {
            return null;
        }
    }

    private static <T extends Throwable> @Nullable Constructor<T> constructor(Class<T> type) {
        try {
            boolean abstractType = Modifier.isAbstract(type.getModifiers());
            Constructor<T> constructor = abstractType ? null : type.getConstructor(String.class);
            return constructor != null && constructor.trySetAccessible() ? constructor : null;
        } catch (NoSuchMethodException none) {
            return null;
        }
    }
}
