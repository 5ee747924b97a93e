package dev.resilience.spring.deadletter;

import dev.resilience.annotation.Idempotent;
import dev.resilience.context.Attempt;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetters;
import dev.resilience.deadletter.ExhaustedCalls;
import dev.resilience.deadletter.LetterReplayer;
import dev.resilience.deadletter.UnreadableLetterException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.kind.AsyncMethods;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * The methods whose calls are kept when they run out of retries: refuses at startup what could not work, and finds the
 * method of a letter again. Safe for use by many threads.
 */
public final class DeadLetterMethods implements LetterReplayer {

    private static final String NO_METHOD = "this application has no such method whose retry keeps dead letters";

    private final @Nullable Json json;
    private final ConcurrentMap<String, DeadLetterMethod> methods = new ConcurrentHashMap<>();

    /**
     * @param json how arguments are written; {@code null} if the application has nothing to write them with
     */
    public DeadLetterMethods(@Nullable Json json) {
        this.json = json;
    }

    /** Keeps the calls of a method that run out of the retries of a policy. */
    public ExhaustedCalls keeping(Retry retry, DeadLetters letters, ProtectedMethod<?> protectedMethod) {
        DeadLetterMethod method = create(retry, protectedMethod);
        methods.put(method.operation(), method);
        return new Keeping(method, letters);
    }

    private record Keeping(DeadLetterMethod method, DeadLetters letters) implements ExhaustedCalls {

        @Override
        public @Nullable Object begins(Invocation call) {
            return method.begins(call);
        }

        @Override
        public void ranOut(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure) {
            letters.keep(failure, () -> method.letter(call, begun, attempts, failure));
        }

        @Override
        public void failedOtherwise(Throwable failure) {
            letters.notKept(failure);
        }
    }

    @Override
    public void replay(DeadLetter letter, Attempt attempt) throws Throwable {
        DeadLetterMethod method = methods.get(letter.operation());
        if (method == null) {
            throw new UnreadableLetterException(NO_METHOD, null);
        }
        method.replay(letter, attempt);
    }

    @Override
    public @Nullable String whyNotReadable(DeadLetter letter) {
        DeadLetterMethod method = methods.get(letter.operation());
        return method == null ? NO_METHOD : method.whyNoBean(letter);
    }

    private DeadLetterMethod create(Retry retry, ProtectedMethod<?> found) {
        Method method = found.method();
        String name = MethodNames.full(method, found.type());
        if (json == null) {
            throw new ResilienceConfigurationException(
                    "The retry of the method " + name
                            + " keeps dead letters, but there is no Jackson 3 on the class path "
                            + "to write its arguments with",
                    "Add 'org.springframework.boot:spring-boot-starter-jackson', or set 'dead-letter' of its retry policy "
                            + "to false.");
        }
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        List<ResolvableType> types = new ArrayList<>();
        for (int i = 0; i < SuspendingFunctions.parameterCount(method); i++) {
            ResolvableType type = ResolvableType.forMethodParameter(method, i, found.type());
            String why = json.whyNotReadable(type);
            if (why != null) {
                mistakes.add(unreadable(method, i, name, type, why));
            }
            types.add(type);
        }
        BeanNames beans = new BeanNames(found.type(), found.beanFactory());
        check(method, found.type(), name, mistakes);
        checkScope(beans, name, mistakes);
        checkKey(found, name, mistakes);
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        warn(found, name);
        boolean mayChangeArguments = !types.stream().allMatch(ImmutableTypes::contain);
        return new DeadLetterMethod(retry, method, name, json.arrayCodec(types), mayChangeArguments, beans);
    }

    private static ResilienceConfigurationException unreadable(
            Method method, int index, String name, ResolvableType type, String why) {
        String parameter = new MethodParameter(method, index).getParameter().getName();
        return new ResilienceConfigurationException(
                "The retry of the method " + name + " keeps dead letters, but its argument '" + parameter
                        + "' could not be " + "read back as "
                        + (type.resolve() == null ? type.getType().getTypeName() : type) + ": " + why,
                "Take a type that Jackson can write and read, or set 'dead-letter' of the retry policy to false, for this "
                        + "method by a policy of its own.");
    }

    private static void check(
            Method method, Class<?> type, String name, List<ResilienceConfigurationException> mistakes) {
        String what = null;
        if (name.length() > DeadLetter.MAX_TEXT) {
            what = "its name with its parameters has more than " + DeadLetter.MAX_TEXT + " characters";
        } else if (SuspendingFunctions.is(method)) {
            what = "it is a suspending function, for whose end a replay cannot wait";
        } else if (AsyncResults.isStream(method)) {
            what = "it returns a stream, and nothing tells when the work of a stream is done";
        } else if (AsyncMethods.is(method, type)) {
            what = "it is @Async, and a replay could not tell its failure from that of a first call";
        }
        if (what != null) {
            mistakes.add(new ResilienceConfigurationException(
                    "The retry of the method " + name + " keeps dead letters, but " + what,
                    "Move what is retried to a method without that, or set 'dead-letter' of the retry policy to false, for "
                            + "this method by a policy of its own."));
        }
    }

    /** A replay would call another object than the one that was called, or none. */
    private static void checkScope(BeanNames beans, String name, List<ResilienceConfigurationException> mistakes) {
        String found = beans.whyNotTheSame();
        if (found != null) {
            mistakes.add(new ResilienceConfigurationException(
                    "The retry of the method " + name + " keeps dead letters, but " + found
                            + ", and a replay would not call the object that was called",
                    "Make the bean a singleton, move what is retried to one, or set 'dead-letter' of the retry policy to "
                            + "false, for this method by a policy of its own."));
        }
    }

    private static void checkKey(
            ProtectedMethod<?> method, String name, List<ResilienceConfigurationException> mistakes) {
        Idempotent idempotent = method.annotation(Idempotent.class);
        if (idempotent != null && !idempotent.header().isBlank() && idempotent.required()) {
            mistakes.add(new ResilienceConfigurationException(
                    "The retry of the method " + name
                            + " keeps dead letters, but every replay would be refused: it has no "
                            + "request, and so no key in the header '" + idempotent.header() + "'",
                    "Take the key from an argument: @Idempotent(key = \"#...\"), or move what is retried to a method of its "
                            + "own."));
        }
    }

    private static void warn(ProtectedMethod<?> method, String name) {
        Idempotent idempotent = method.annotation(Idempotent.class);
        if (idempotent != null && !idempotent.header().isBlank()) {
            method.warnings()
                    .add("The replay of a dead letter of " + name + " has no request, and so no key in the header '"
                            + idempotent.header()
                            + "': it runs without the protection of @Idempotent. Take the key from an "
                            + "argument: key = \"#...\"");
        }
    }
}
