package dev.resilience.spring.deadletter;

import static dev.resilience.spring.WarningId.REPLAY_WITHOUT_KEY;

import dev.resilience.annotation.Idempotent;
import dev.resilience.context.Attempt;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.retry.Retry.ExhaustedCalls;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.SpringAnnotations;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * The methods whose calls are kept when they run out of retries: refuses at startup what could not work, and finds the
 * method of a letter again. Safe for use by many threads.
 */
public final class DeadLetterMethods implements DeadLetters.Replayer {

    private final @Nullable Json json;
    private final ConcurrentMap<String, DeadLetterMethod> methods = new ConcurrentHashMap<>();

    /**
     * @param json how arguments are written; {@code null} if the application has nothing to write them with
     */
    public DeadLetterMethods(@Nullable Json json) {
        this.json = json;
    }

    /** Keeps the calls of a method that run out of the retries of a policy. */
    public ExhaustedCalls keeping(KeepingRetry retry, ProtectedMethod<?> found) {
        Method method = found.method();
        String name = MethodNames.full(method, found.type());
        if (json == null) {
            throw problem(
                    name,
                    "there is no Jackson 3 on the class path to write its arguments with",
                    "Add 'org.springframework.boot:spring-boot-starter-jackson'");
        }
        StartupProblems problems = new StartupProblems();
        List<ResolvableType> types = new ArrayList<>();
        for (int i = 0; i < SuspendingFunctions.parameterCount(method); i++) {
            ResolvableType type = ResolvableType.forMethodParameter(method, i, found.type());
            String why = json.whyNotReadable(type);
            if (why != null) {
                String parameter = new MethodParameter(method, i).getParameter().getName();
                String declared = type.resolve() == null ? type.getType().getTypeName() : type.toString();
                problems.add(problem(
                        name,
                        "its argument '" + parameter + "' could not be read back as " + declared + ": " + why,
                        "Take a type that Jackson can write and read"));
            }
            types.add(type);
        }
        BeanNames beans = new BeanNames(found.type(), found.beanFactory());
        String why = whyNoReplay(method, found.type(), name);
        if (why != null) {
            problems.add(problem(name, why, "Move what is retried to a method without that"));
        }
        String scope = beans.whyNotTheSame();
        if (scope != null) {
            problems.add(problem(
                    name,
                    scope + ", and a replay would not call the object that was called",
                    "Make the bean a singleton, move what is retried to one"));
        }
        checkKey(found, name, problems);
        problems.throwIfAny();
        DeadLetterMethod keeping = new DeadLetterMethod(retry, method, name, json.arrayCodec(types), beans);
        methods.put(name, keeping);
        return keeping;
    }

    @Override
    public void replay(DeadLetter letter, Attempt attempt) throws Throwable {
        String why = whyNotReadable(letter);
        if (why != null) {
            throw new DeadLetters.UnreadableLetterException(why, null);
        }
        Objects.requireNonNull(methods.get(letter.operation())).replay(letter, attempt);
    }

    /** Why no call can be made of a letter, as far as that shows without its arguments; {@code null} if one can. */
    public @Nullable String whyNotReadable(DeadLetter letter) {
        DeadLetterMethod method = methods.get(letter.operation());
        if (method == null) {
            return "this application has no such method whose retry keeps dead letters";
        }
        return method.beans().have(letter.bean())
                ? null
                : "there is no bean '" + letter.bean() + "' with the method " + letter.operation();
    }

    private static ResilienceConfigurationException problem(String name, String what, String cure) {
        return new ResilienceConfigurationException(
                "The retry of the method " + name + " keeps dead letters, but " + what,
                cure + ", or set 'dead-letter' of the retry policy to false, for this method by a policy of its own.");
    }

    private static @Nullable String whyNoReplay(Method method, Class<?> type, String name) {
        if (name.length() > DeadLetter.MAX_TEXT) {
            return "its name with its parameters has more than " + DeadLetter.MAX_TEXT + " characters";
        }
        if (SuspendingFunctions.is(method)) {
            return "it is a suspending function, for whose end a replay cannot wait";
        }
        if (DeadLetterMethod.isStream(method)) {
            return "it returns a stream, and nothing tells when the work of a stream is done";
        }
        return SpringAnnotations.isAsync(method, type)
                ? "it is @Async, and a replay could not tell its failure from that of a first call"
                : null;
    }

    private static void checkKey(ProtectedMethod<?> method, String name, StartupProblems problems) {
        Idempotent idempotent = method.annotation(Idempotent.class);
        if (idempotent == null || idempotent.header().isBlank()) {
            return;
        }
        String noKey = "has no request, and so no key in the header '" + idempotent.header() + "'";
        if (idempotent.required()) {
            problems.add(problem(
                    name,
                    "every replay would be refused: it " + noKey,
                    "Take the key from an argument: @Idempotent(key = \"#...\")"));
        } else {
            method.warnings()
                    .add(REPLAY_WITHOUT_KEY.of("The replay of a dead letter of " + name + " " + noKey
                            + ": it runs without the protection of @Idempotent. Take the key from an argument: key = "
                            + "\"#...\""));
        }
    }
}
