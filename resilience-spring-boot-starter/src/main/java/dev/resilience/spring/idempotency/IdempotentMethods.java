package dev.resilience.spring.idempotency;

import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.IdempotencyPolicy.Scope;
import dev.resilience.idempotency.IdempotentOperation;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.idempotency.http.HttpAnswerCodec;
import dev.resilience.spring.idempotency.http.KeyHeader;
import dev.resilience.spring.idempotency.http.Requests;
import dev.resilience.spring.idempotency.http.Requests.KeySource;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.Json.ResultCodec;
import dev.resilience.spring.kind.CallExpression;
import dev.resilience.spring.kind.CallKey;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.SpringAnnotations;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import dev.resilience.spring.retry.RetryKind;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;

/** Creates the idempotent layer of each {@code @Idempotent} method at startup, and refuses what could not work. */
public final class IdempotentMethods {

    static final boolean HTTP = isPresent("org.springframework.http.ResponseEntity");
    private static final boolean SERVLET = isPresent("org.springframework.web.context.request.ServletRequestAttributes")
            && isPresent("jakarta.servlet.http.HttpServletRequest");

    /** Where the policy itself is broken the method is checked all the same, and only for what no policy allows. */
    private static final IdempotencyPolicy LENIENT =
            IdempotencyPolicy.builder().scope(Scope.NONE).fingerprint(false).build();

    private final @Nullable Json json;
    private final @Nullable CallerScope callerScope;
    private final boolean reactive;
    private final Requests requests;
    private final @Nullable SecurityCallerScope reactiveCallers;
    private final Runnable firstUse;
    private boolean used;

    /**
     * @param json how values are written; {@code null} if the application has nothing to write them with
     * @param callerScope who is calling; {@code null} if nothing tells callers apart
     * @param reactive whether requests are those of WebFlux, which only the subscribers of publishers know
     * @param reactiveCallers asks Spring Security where it knows who is calling in a place that is no thread's; or {@code null}
     * @param firstUse run when a method turns out to be idempotent
     */
    public IdempotentMethods(
            @Nullable Json json,
            @Nullable CallerScope callerScope,
            boolean reactive,
            @Nullable SecurityCallerScope reactiveCallers,
            Runnable firstUse) {
        this.json = json;
        this.callerScope = callerScope;
        this.reactive = reactive && HTTP;
        this.requests = this.reactive ? Requests.WEBFLUX : SERVLET && !reactive ? Requests.SERVLET : Requests.NONE;
        this.reactiveCallers = reactiveCallers;
        this.firstUse = firstUse;
    }

    /**
     * The layer of a method.
     *
     * @return {@code null} if the policy is a problem that is reported already
     */
    @Nullable
    IdempotentMethod create(ProtectedMethod<Idempotent> method, @Nullable Idempotency idempotency) {
        String name = MethodNames.full(method.method(), method.type());
        IdempotencyPolicy policy = idempotency == null ? LENIENT : idempotency.policy();
        boolean isAsynchronous = Boolean.TRUE.equals(method.isAsynchronous());
        method.beans(Check.class)
                .orderedStream()
                .forEach(check -> check.check(method.method(), method.type(), name, policy, isAsynchronous));
        Json values = values("The method " + name + " is @Idempotent");
        if (SpringAnnotations.isAsync(method.method(), method.type())) {
            throw besideAsync(name);
        }
        if (idempotency != null
                && !policy.fingerprint()
                && !method.annotation().fingerprint().isBlank()) {
            method.warnings()
                    .add(KEY_WITHOUT_EFFECT.of("The fingerprint of the @Idempotent method " + name
                            + " has no effect, because 'fingerprint' of the policy '" + idempotency.name()
                            + "' is false"));
        }
        StartupProblems problems = new StartupProblems();
        MessageListeners listeners = MessageListeners.of(method.beans(MessageListeners.class), method.method());
        KeySource key = problems.collect(() -> key(method, name, listeners));
        ResultCodec results = problems.collect(() -> results(method, name, values));
        FingerprintArguments compared =
                problems.collect(() -> new FingerprintArguments(method, values, policy.fingerprint(), listeners));
        CallerScope scope = problems.collect( // a listener is called by its container alone
                () -> listeners == null ? scope(method, name, policy) : IdempotentMethod.NO_CALLERS);
        if (key == null || results == null || compared == null || scope == null) {
            throw problems.all();
        }
        use();
        String operation = method.bean() == null ? name : name + "@" + method.bean();
        Consumer<Invocation> replays = listeners == null ? call -> {} : listeners::replayed;
        return idempotency == null
                ? null
                : new IdempotentMethod(
                        idempotency, operation, key, scope, compared::describe, results, isFinal(method), replays);
    }

    private Json values(String what) {
        if (json == null) {
            throw new ResilienceConfigurationException(
                    what + ", but there is no Jackson 3 on the class path to store its result with",
                    "Add 'org.springframework.boot:spring-boot-starter-jackson'.");
        }
        return json;
    }

    private synchronized void use() {
        if (!used) {
            firstUse.run();
            used = true;
        }
    }

    /** What calls from code by a policy have of their own whose results are of a type. */
    IdempotentMethod ofCode(Idempotency idempotency, Type type) {
        String name = idempotency.name();
        String call = "A call from code by the idempotency policy '" + name + "' with results of " + type.getTypeName();
        Json values = values(call + " is to be made");
        ResolvableType result = ResolvableType.forType(type);
        String why = type == Void.class ? null : values.whyNotReadable(result);
        if (why != null) {
            throw new ResilienceConfigurationException(
                    call + " cannot be made, because these could not be read back: " + why,
                    "Name a class that Jackson can read.");
        }
        boolean isShared = idempotency.policy().scope() == Scope.NONE;
        CallerScope callers = callerScope == null || isShared ? IdempotentMethod.NO_CALLERS : callerScope;
        use();
        return new IdempotentMethod(
                idempotency,
                name,
                invocation -> IdempotentOperation.keyOfCode(invocation, name),
                callers,
                arguments -> values.comparable(arguments[1]),
                values.codec(result),
                answer -> true,
                invocation -> {});
    }

    /** A result that asks for a retry is not the last one. */
    private static Predicate<@Nullable Object> isFinal(ProtectedMethod<Idempotent> method) {
        Retry retry = RetryKind.of(method);
        return retry == null ? result -> true : result -> !retry.asksForRetry(result);
    }

    /** Refuses a method that {@code @Async} moves to a thread that knows neither its caller nor its request. */
    public static ResilienceConfigurationException besideAsync(String name) {
        return new ResilienceConfigurationException(
                "The method " + name + " is @Idempotent and @Async: it would run on a thread that knows neither the "
                        + "caller nor the request, so that one caller could get another's result",
                "Put @Async on a method of another bean, which the @Idempotent one calls, or which calls it.");
    }

    private KeySource key(ProtectedMethod<Idempotent> method, String name, @Nullable MessageListeners listeners) {
        Idempotent annotation = method.annotation();
        boolean hasKey = !annotation.key().isBlank();
        boolean hasHeader = !annotation.header().isBlank();
        if (hasKey == hasHeader) {
            throw new ResilienceConfigurationException(
                    "The method " + name + " is @Idempotent "
                            + (hasKey ? "with both a key and a header" : "without a key"),
                    "Give @Idempotent either a key, such as key = \"#orderId\", or a header, such as header = "
                            + "\"Idempotency-Key\".");
        }
        if (hasHeader && listeners != null) {
            return listeners.keys(annotation.header(), annotation.required());
        }
        if (hasHeader) {
            if (requests == Requests.NONE || (reactive && !isSubscribedTo(method))) {
                throw new ResilienceConfigurationException(
                        "The method " + name + " takes its idempotency key from the header '" + annotation.header()
                                + "', but "
                                + (reactive
                                        ? "in a reactive web application only methods that return a Mono know the request"
                                        : "this is not a servlet web application"),
                        "Take the key from an argument: key = \"#...\"." + (reactive ? " Or return a Mono." : ""));
            }
            return new KeyHeader(annotation.header(), annotation.required(), name, requests);
        }
        CallKey key = CallExpression.checked("key", annotation.key(), method, CallKey.EXAMPLES, CallKey::parse);
        return new KeyExpression(key, annotation.required());
    }

    private ResultCodec results(ProtectedMethod<Idempotent> method, String name, Json values) {
        ResolvableType returned = method.resultType();
        boolean isEntity = HTTP && returned.resolve() == ResponseEntity.class;
        ResolvableType declared = isEntity ? returned.getGeneric() : returned;
        ResolvableType result = resultType(method, name, declared);
        Class<?> type = result.resolve(Object.class);
        String why = HTTP && HttpEntity.class.isAssignableFrom(type)
                ? "its headers would be lost; return a ResponseEntity"
                : type == void.class || type == Void.class ? null : values.whyNotReadable(result);
        boolean isPlain = why != null
                && method.annotation().resultType() == void.class
                && HTTP
                && (!reactive || isSubscribedTo(method))
                && HttpAnswerCodec.canBePlain(method.method(), method.type(), isEntity, type);
        if (why != null && !isPlain) {
            throw new ResilienceConfigurationException(
                    "The stored result of the @Idempotent method " + name + " could not be read back as "
                            + (result.resolve() == null ? result.getType().getTypeName() : result) + ": " + why,
                    "Return a class that Jackson can read, or name one: @Idempotent(resultType = ...). A handler of "
                            + "requests may return a ResponseEntity.");
        }
        if (!HTTP) {
            return values.codec(result);
        }
        boolean answersRequests = !method.annotation().header().isBlank()
                || AnnotatedElementUtils.hasAnnotation(method.type(), Controller.class);
        return HttpAnswerCodec.of(
                method.method(),
                method.type(),
                isEntity,
                isPlain ? null : result,
                values,
                answersRequests ? requests : Requests.NONE);
    }

    private static ResolvableType resultType(ProtectedMethod<Idempotent> method, String name, ResolvableType returned) {
        Class<?> given = method.annotation().resultType();
        if (given == void.class) {
            return returned;
        }
        if (!returned.resolve(Object.class).isAssignableFrom(given)) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent method " + name + " returns " + returned + ", which its resultType "
                            + given.getName() + " is not",
                    "Give a resultType that the method may return.");
        }
        return ResolvableType.forClass(given);
    }

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, IdempotentMethods.class.getClassLoader());
    }

    private static boolean isSubscribedTo(ProtectedMethod<Idempotent> method) {
        return PublisherType.of(method.method().getReturnType()) != null || SuspendingFunctions.is(method.method());
    }

    private CallerScope scope(ProtectedMethod<Idempotent> method, String name, IdempotencyPolicy policy) {
        if (policy.scope() == Scope.NONE) {
            return IdempotentMethod.NO_CALLERS;
        }
        CallerScope known = callerScope == null ? reactiveCallers : callerScope;
        if (known instanceof SecurityCallerScope ofSecurity && isSubscribedTo(method)) {
            return ofSecurity.ofMovingCalls(name); // with Reactor, the caller is put on the thread that asks
        }
        if (callerScope != null) {
            return callerScope;
        }
        String policyName = method.annotation().value();
        if (reactiveCallers != null) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent method " + name + " is one of a reactive web application, where Spring Security "
                            + "knows the caller and this library does not: one caller could get another's result",
                    "Return a Mono, with which the caller is known. Or put the caller into the key, such as key = \"#principal.name + '/' + #key\", and choose "
                            + "'resilience.idempotency." + policyName + ".scope: none', or define a bean of "
                            + "type CallerScope.");
        }
        if (!method.annotation().header().isBlank()) {
            throw new ResilienceConfigurationException(
                    "The @Idempotent method " + name + " takes its key from the header '"
                            + method.annotation().header()
                            + "', but nothing tells callers apart: one caller could see another's result",
                    "Add Spring Security or a bean of type CallerScope, or accept it with 'resilience.idempotency."
                            + policyName + ".scope: none'.");
        }
        return IdempotentMethod.NO_CALLERS;
    }

    /** Looks at every idempotent method when its plan is made, and warns of what it does not keep. */
    @FunctionalInterface
    public interface Check {

        /**
         * Looks at a method.
         *
         * @param name the method's full name, for messages
         * @param asynchronous whether it returns a stage
         */
        void check(Method method, Class<?> type, String name, IdempotencyPolicy policy, boolean asynchronous);
    }
}
