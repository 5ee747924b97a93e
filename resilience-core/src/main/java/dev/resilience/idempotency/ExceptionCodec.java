package dev.resilience.idempotency;

import dev.resilience.exception.ResilienceException;
import dev.resilience.log.LogLine;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a failure that is a final answer as its class name and message, and rebuilds it through its constructor with
 * one {@code String}. Nothing but a listed exception or a subclass of one is ever instantiated, whatever the store
 * holds.
 */
final class ExceptionCodec {

    private static final Logger log = LoggerFactory.getLogger(Idempotency.class);
    private static final LogLine NOT_REPLAYED = LogLine.warn("idempotency_exception_not_replayed");
    private static final LogLine MESSAGE_CHANGED = LogLine.warn("idempotency_exception_message_changed");

    private final String policy;
    private final List<Class<? extends Throwable>> listed;

    /** Classes that were thrown here, for those that no class loader at hand would find by name. */
    private final ConcurrentMap<String, Class<? extends Throwable>> seen = new ConcurrentHashMap<>();

    private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();

    ExceptionCodec(String policy, List<Class<? extends Throwable>> listed) {
        this.policy = policy;
        this.listed = listed;
    }

    static boolean canRebuild(Class<? extends Throwable> type) {
        return constructor(type) != null;
    }

    /**
     * Whether the policy lists this failure or a supertype of it as a final answer, and it can be rebuilt. A refusal is no
     * answer of the method, which may not have run: it must be listed as what it is, not as some {@link
     * RuntimeException}.
     */
    boolean isFinalAnswer(Throwable failure) {
        Class<?> root = ResilienceException.isRefusal(failure) ? ResilienceException.class : Throwable.class;
        boolean isFinal = listed.stream().anyMatch(type -> root.isAssignableFrom(type) && type.isInstance(failure));
        if (!isFinal || rebuilt(failure) != null) {
            return isFinal;
        }
        if (warned.add(failure.getClass())) {
            String type = failure.getClass().getName();
            NOT_REPLAYED
                    .in(log, policy)
                    .addKeyValue("errorType", type)
                    .log(
                            "Idempotency '{}': a {} is not replayed, and its key is free again, because its constructor "
                                    + "refuses the message that it was thrown with: give the class a public constructor "
                                    + "that takes the message as it is. Logged once.",
                            policy,
                            type);
        }
        return false;
    }

    byte[] write(Throwable failure) {
        Throwable rebuilt = rebuilt(failure);
        if (rebuilt == null) {
            throw new IllegalArgumentException(failure.getClass().getName() + " cannot be rebuilt");
        }
        Class<? extends Throwable> type = rebuilt.getClass();
        seen.putIfAbsent(type.getName(), type);
        String argument = argument(type, failure.getMessage(), rebuilt.getMessage());
        String text = type.getName() + (argument == null ? "" : "\n" + argument);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A subclass that cannot be rebuilt is rebuilt as the closest of its superclasses that can. */
    private @Nullable Throwable rebuilt(Throwable failure) {
        Throwable rebuilt = null;
        for (Class<?> type = failure.getClass(); rebuilt == null && isListed(type); type = type.getSuperclass()) {
            rebuilt = rebuilt(type.asSubclass(Throwable.class), failure.getMessage());
        }
        return rebuilt;
    }

    /** What the constructor makes this message of, if it adds some text of its own before and after its argument. */
    private @Nullable String argument(
            Class<? extends Throwable> type, @Nullable String message, @Nullable String rebuilt) {
        if (Objects.equals(rebuilt, message)) {
            return message;
        }
        if (message != null && rebuilt != null && rebuilt.contains(message)) {
            int before = rebuilt.indexOf(message);
            int after = rebuilt.length() - before - message.length();
            if (before + after <= message.length()) {
                String argument = message.substring(before, message.length() - after);
                Throwable again = rebuilt(type, argument);
                if (again != null && message.equals(again.getMessage())) {
                    return argument;
                }
            }
        }
        if (warned.add(type)) {
            MESSAGE_CHANGED
                    .in(log, policy)
                    .addKeyValue("errorType", type.getName())
                    .log(
                            "Idempotency '{}': a {} is replayed with another message than it was thrown with: give the "
                                    + "class a public constructor that takes the message as it is. Logged once.",
                            policy,
                            type.getName());
        }
        return message;
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
