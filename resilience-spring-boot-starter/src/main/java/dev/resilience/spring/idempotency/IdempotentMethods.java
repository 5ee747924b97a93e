package dev.resilience.spring.idempotency;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.Scope;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.idempotency.fingerprint.FingerprintArguments;
import dev.resilience.spring.idempotency.http.HttpAnswerCodec;
import dev.resilience.spring.idempotency.http.ResponseBodyCodec;
import dev.resilience.spring.idempotency.http.SentAnswers;
import dev.resilience.spring.idempotency.http.request.CurrentExchange;
import dev.resilience.spring.idempotency.http.request.CurrentServletRequest;
import dev.resilience.spring.idempotency.http.request.KeyHeader;
import dev.resilience.spring.idempotency.http.request.KeySource;
import dev.resilience.spring.idempotency.http.request.ReplayHeader;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.ResultCodec;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.PublisherType;
import java.lang.reflect.Method;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;

/** Makes of an annotated method what its calls need, and refuses at startup what could not work. */
public final class IdempotentMethods {

    private static final boolean SERVLET = isPresent("org.springframework.web.context.request.ServletRequestAttributes")
            && isPresent("jakarta.servlet.http.HttpServletRequest");

    private static final boolean HTTP = isPresent("org.springframework.http.ResponseEntity");

    private final @Nullable Json json;
    private final @Nullable CallerScope callerScope;
    private final @Nullable SentAnswers sentAnswers;
    private final boolean hasServletRequests;
    private final boolean reactive;
    private final @Nullable SecurityCallerScope hiddenCallers;
    private final Runnable firstUse;
    private boolean used; // by one thread: methods are resolved at startup

    /**
     * @param json how values are written; {@code null} if the application has nothing to write them with
     * @param callerScope who is calling; {@code null} if nothing tells callers apart
     * @param sentAnswers keeps answers as bytes; {@code null} if the application does not answer requests by annotated
     *     handler methods
     * @param reactive whether requests are those of WebFlux, which only the subscribers of publishers know
     * @param hiddenCallers asks Spring Security where it knows who is calling in a place that is no thread's; or {@code null}
     * @param firstUse run when a method turns out to be idempotent
     */
    public IdempotentMethods(
            @Nullable Json json,
            @Nullable CallerScope callerScope,
            @Nullable SentAnswers sentAnswers,
            boolean reactive,
            @Nullable SecurityCallerScope hiddenCallers,
            Runnable firstUse) {
        this.json = json;
        this.callerScope = callerScope;
        this.sentAnswers = sentAnswers;
        this.hasServletRequests = SERVLET && !reactive;
        this.reactive = reactive;
        this.hiddenCallers = hiddenCallers;
        this.firstUse = firstUse;
    }

    /**
     * What the calls of a method need.
     *
     * @param type the class of the bean, which may know more of the method's types
     * @param name the method's full name, for messages
     * @param operation what a key is unique within, and stored with: the full name, followed by the bean's where beans have
     *     no class of their own
     * @param returned the type of the method's result, inside a stage if it returns one
     * @param isFinal whether a result is the call's last word
     */
    public IdempotentOperation create(
            Method method,
            Class<?> type,
            String name,
            String operation,
            Idempotent annotation,
            IdempotencyPolicy policy,
            ResolvableType returned,
            Predicate<@Nullable Object> isFinal) {
        if (json == null) {
            throw new ResilienceConfigurationException(
                    "The method " + name + " is @Idempotent, but there is no Jackson 3 on the class path to store its "
                            + "result with",
                    "Add 'org.springframework.boot:spring-boot-starter-jackson'.");
        }
        boolean isHttpAnswer = HTTP && returned.resolve() == ResponseEntity.class;
        ResolvableType body = isHttpAnswer ? returned.getGeneric() : returned;
        ResultCodec asSent = sentAnswers == null || annotation.resultType() != void.class
                ? null
                : sentAnswers.codec(method, type, returned, json);
        FingerprintArguments arguments = new FingerprintArguments(method, type);
        ResilienceConfigurationException.throwAll(
                () -> key(method, name, annotation),
                () -> {
                    if (asSent == null) {
                        checkResult(json, name, resultType(name, annotation, body));
                    }
                },
                () -> {
                    if (policy.fingerprint()) {
                        arguments.check(name);
                    }
                },
                () -> scope(method, name, annotation, policy));
        if (!used) {
            used = true;
            firstUse.run();
        }
        return new IdempotentMethod(
                operation,
                key(method, name, annotation),
                scope(method, name, annotation, policy),
                arguments.indexes(),
                asSent != null ? asSent : results(json, method, type, resultType(name, annotation, body), isHttpAnswer),
                isFinal,
                replayHeader(method, annotation));
    }

    private static ResultCodec results(
            Json json, Method method, Class<?> type, ResolvableType result, boolean isHttpAnswer) {
        if (isHttpAnswer) {
            return new HttpAnswerCodec(json, result);
        }
        ResultCodec values = json.codec(result);
        return HTTP ? new ResponseBodyCodec(values, method, type) : values;
    }

    private Function<Invocation, Runnable> replayHeader(Method method, Idempotent annotation) {
        boolean answersRequests = !annotation.header().isBlank()
                || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Controller.class);
        if (answersRequests && reactive && HTTP) {
            return CurrentExchange::replayHeader;
        }
        return answersRequests && hasServletRequests ? ReplayHeader::of : call -> () -> {};
    }

    private KeySource key(Method method, String name, Idempotent annotation) {
        boolean hasKey = !annotation.key().isBlank();
        boolean hasHeader = !annotation.header().isBlank();
        if (hasKey == hasHeader) {
            throw new ResilienceConfigurationException(
                    "The method " + name + " is @Idempotent "
                            + (hasKey ? "with both a key and a header" : "without a key"),
                    "Give @Idempotent either a key, such as key = \"#orderId\", or a header, such as header = "
                            + "\"Idempotency-Key\".");
        }
        if (hasHeader) {
            boolean hasReactiveRequests = reactive && HTTP;
            if (!hasServletRequests && !(hasReactiveRequests && isSubscribedTo(method))) {
                throw new ResilienceConfigurationException(
                        "The method " + name + " takes its idempotency key from the header '" + annotation.header()
                                + "', but "
                                + (hasReactiveRequests
                                        ? "in a reactive web application only methods that return a Mono know the request"
                                        : "this is not a servlet web application"),
                        "Take the key from an argument: key = \"#...\"."
                                + (hasReactiveRequests ? " Or return a Mono." : ""));
            }
            return new KeyHeader(
                    annotation.header(),
                    annotation.required(),
                    name,
                    hasServletRequests
                            ? (header, call) -> CurrentServletRequest.header(header)
                            : CurrentExchange::header);
        }
        try {
            return KeyExpression.parse(annotation.key(), method, annotation.required());
        } catch (IllegalArgumentException invalid) {
            throw new ResilienceConfigurationException(
                    "The key expression \"" + annotation.key() + "\" of the @Idempotent method " + name
                            + " cannot work: " + invalid.getMessage(),
                    "Write a SpEL expression over the arguments, such as \"#orderId\", \"#request.id\" or \"#p0\". "
                            + "Names need classes compiled with '-parameters'.");
        }
    }

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, IdempotentMethods.class.getClassLoader());
    }

    private static ResolvableType resultType(String name, Idempotent annotation, ResolvableType returned) {
        if (annotation.resultType() == void.class) {
            return returned;
        }
        ResolvableType given = ResolvableType.forClass(annotation.resultType());
        if (!returned.resolve(Object.class).isAssignableFrom(annotation.resultType())) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent method " + name + " returns " + returned + ", which its resultType "
                            + annotation.resultType().getName() + " is not",
                    "Give a resultType that the method may return.");
        }
        return given;
    }

    private static void checkResult(Json json, String name, ResolvableType result) {
        Class<?> type = result.resolve(Object.class);
        String why = HTTP && HttpEntity.class.isAssignableFrom(type)
                ? "its headers would be lost; return a ResponseEntity"
                : type == void.class || type == Void.class ? null : json.whyNotReadable(result);
        if (why != null) {
            throw new ResilienceConfigurationException(
                    "The stored result of the @Idempotent method " + name + " could not be read back as "
                            + (result.resolve() == null ? result.getType().getTypeName() : result) + ": " + why,
                    "Return a class that Jackson can read, or name one: @Idempotent(resultType = ...).");
        }
    }

    private static boolean isSubscribedTo(Method method) {
        return PublisherType.of(method.getReturnType()) != null || SuspendingFunctions.is(method);
    }

    private CallerScope scope(Method method, String name, Idempotent annotation, IdempotencyPolicy policy) {
        if (policy.scope() == Scope.NONE) {
            return IdempotentMethod.NO_CALLERS;
        }
        boolean moves = isSubscribedTo(method);
        if (callerScope instanceof SecurityCallerScope ofThread && moves) {
            return ofThread.ofMovingCalls(name);
        }
        if (callerScope != null) {
            return callerScope;
        }
        if (hiddenCallers != null && moves) {
            // the caller is in Reactor's context, and put on the thread that asks
            return hiddenCallers.ofMovingCalls(name);
        }
        if (hiddenCallers != null) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent method " + name + " is one of a reactive web application, where Spring Security "
                            + "knows the caller and this library does not: one caller could get another's result",
                    "Return a Mono, with which the caller is known. Or put the caller into the key, such as key = \"#principal.name + '/' + #key\", and choose "
                            + "'resilience.idempotency." + annotation.value() + ".scope: none', or define a bean of "
                            + "type CallerScope.");
        }
        if (!annotation.header().isBlank()) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent method " + name + " takes its key from the header '" + annotation.header()
                            + "', but nothing tells callers apart: one caller could see another's result",
                    "Add Spring Security or a bean of type CallerScope, or accept it with 'resilience.idempotency."
                            + annotation.value() + ".scope: none'.");
        }
        return IdempotentMethod.NO_CALLERS;
    }
}
