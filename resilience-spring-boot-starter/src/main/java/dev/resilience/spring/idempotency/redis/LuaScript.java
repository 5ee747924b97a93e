package dev.resilience.spring.idempotency.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A script that Redis runs as one step, on one key. It is called by its digest; a server that does not know it (new,
 * restarted, or told to forget) gets the text. Immutable.
 *
 * <p>Not Spring's {@code RedisScript}: a {@code RedisTemplate} runs it on the connection that is bound to the thread, which
 * in an open transaction only queues it and gives no answer.
 */
public final class LuaScript {

    private final byte[] text;
    private final String digest;

    /**
     * @param parts names of files beside this class, or whole ones that begin with a slash, which make the script together
     */
    public LuaScript(String... parts) {
        String joined = Stream.of(parts).map(LuaScript::read).collect(Collectors.joining());
        this.text = bytes(joined);
        this.digest = DigestUtils.sha1DigestAsHex(joined);
    }

    private static String read(String file) {
        try {
            return new ClassPathResource(file, LuaScript.class).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }

    /** Runs a script that answers with a list. */
    public Answer ask(RedisConnection connection, String key, Object... arguments) {
        return new Answer(run(List.class, connection, key, arguments));
    }

    /** Runs a script that answers with 1 if it changed something, 0 if not. */
    boolean change(RedisConnection connection, String key, Object... arguments) {
        return run(Long.class, connection, key, arguments) > 0;
    }

    private <T> T run(Class<T> type, RedisConnection connection, String key, Object... arguments) {
        byte[][] all = Stream.concat(Stream.of(key), Stream.of(arguments))
                .map(LuaScript::bytes)
                .toArray(byte[][]::new);
        RedisScriptingCommands commands = connection.scriptingCommands();
        ReturnType answers = ReturnType.fromJavaType(type);
        Object answer;
        try {
            answer = commands.evalSha(digest, answers, 1, all);
        } catch (RuntimeException failed) {
            if (!isForgotten(failed)) {
                throw failed;
            }
            answer = commands.eval(text, answers, 1, all);
        }
        return type.cast(Objects.requireNonNull(answer, "Redis gave no answer"));
    }

    private static boolean isForgotten(RuntimeException failed) {
        return String.valueOf(NestedExceptionUtils.getMostSpecificCause(failed).getMessage())
                .startsWith("NOSCRIPT");
    }

    private static byte[] bytes(Object argument) {
        return argument instanceof byte[] raw ? raw : String.valueOf(argument).getBytes(StandardCharsets.UTF_8);
    }

    /** What a script answers: a list of texts and bytes. */
    public record Answer(List<?> parts) {

        int size() {
            return parts.size();
        }

        byte[] bytes(int index) {
            return (byte[]) parts.get(index);
        }

        String text(int index) {
            return new String(bytes(index), StandardCharsets.UTF_8);
        }

        public long number(int index) {
            return Long.parseLong(text(index));
        }

        Duration millis(int index) {
            return Duration.ofMillis(number(index));
        }
    }
}
