package dev.resilience.spring.aop.method;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.PublisherType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Which return types a pipeline can handle. A result that is not there yet when the method returns needs care. */
public final class ReturnTypes {

    /** Types whose work begins after the method has returned: to protect the method would protect nothing. */
    private static final Set<String> LATE = Set.of(
            "org.reactivestreams.Publisher",
            "java.util.concurrent.Flow$Publisher",
            "kotlinx.coroutines.flow.Flow",
            "kotlinx.coroutines.Job",
            "io.reactivex.SingleSource",
            "io.reactivex.MaybeSource",
            "io.reactivex.CompletableSource",
            "io.reactivex.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.smallrye.mutiny.Uni",
            "java.util.concurrent.Callable",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    /** What Spring's proxies need for suspending functions, by a class of each: without it they do not suspend. */
    private static final Map<String, String> BRIDGE = new TreeMap<>(Map.of(
            "org.jetbrains.kotlinx:kotlinx-coroutines-reactor", "kotlinx.coroutines.reactor.MonoKt",
            "org.jetbrains.kotlin:kotlin-reflect", "kotlin.reflect.full.KClasses"));

    private ReturnTypes() {}

    /** Whether the method returns a stage or a publisher; fails for what cannot be handled. */
    public static boolean isAsynchronous(Method method, Class<?> type) {
        Class<?> returned = SuspendingFunctions.returnType(method, type).resolve(method.getReturnType());
        if (SuspendingFunctions.is(method)) {
            checkSuspending(method, type, returned);
            return true;
        }
        if (returned == CompletionStage.class
                || returned == CompletableFuture.class
                || PublisherType.of(returned) != null) {
            return true;
        }
        if (CompletionStage.class.isAssignableFrom(returned)
                || Future.class.isAssignableFrom(returned)
                || isLate(returned)) {
            throw refuse(method, type, "returns " + returned.getName());
        }
        return false;
    }

    /** The publisher that the method returns; {@code null} if it returns none, or one that cannot be handled. */
    public static @Nullable PublisherType publisher(Method method, Class<?> type) {
        if (SuspendingFunctions.is(method)) {
            return isFlow(SuspendingFunctions.returnType(method, type)) ? PublisherType.FLUX : PublisherType.MONO;
        }
        return PublisherType.of(ResolvableType.forMethodReturnType(method, type).resolve(method.getReturnType()));
    }

    /** The type of the result itself: of the value that a stage or publisher holds, or of what the method returns. */
    public static ResolvableType resultType(Method method, Class<?> type, boolean asynchronous) {
        ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
        if (SuspendingFunctions.is(method)) {
            ResolvableType result = SuspendingFunctions.returnType(method, type);
            return isFlow(result) ? result.getGeneric() : result;
        }
        if (!asynchronous) {
            return returned;
        }
        PublisherType publisher = publisher(method, type);
        if (publisher == null) {
            return returned.as(CompletionStage.class).getGeneric();
        }
        return publisher.isNoValue() ? ResolvableType.forClass(Void.class) : returned.getGeneric();
    }

    private static boolean isFlow(ResolvableType type) {
        return type.toClass().getName().equals(FLOW);
    }

    private static void checkSuspending(Method method, Class<?> type, Class<?> returned) {
        List<String> missing = BRIDGE.entrySet().stream()
                .filter(library -> !ClassUtils.isPresent(library.getValue(), ReturnTypes.class.getClassLoader()))
                .map(Map.Entry::getKey)
                .toList();
        if (!missing.isEmpty()) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type)
                            + " is a suspending function, which Spring's proxies " + "cannot wait for without "
                            + String.join(" and ", missing),
                    "Add " + missing.stream().map(name -> "'" + name + "'").collect(Collectors.joining(" and "))
                            + " to the class path; Spring Boot manages the version.");
        }
        if (CompletionStage.class.isAssignableFrom(returned)
                || Future.class.isAssignableFrom(returned)
                || ((isLate(returned) || PublisherType.of(returned) != null)
                        && !returned.getName().equals(FLOW))) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " is a suspending function and returns "
                            + returned.getName() + ", whose work begins or ends after it has returned",
                    "Return the value that is in it, as a suspending function can, or a Flow; or do not suspend.");
        }
    }

    private static boolean isLate(@Nullable Class<?> type) {
        return type != null
                && (LATE.contains(type.getName())
                        || isLate(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(ReturnTypes::isLate));
    }

    private static ResilienceConfigurationException refuse(Method method, Class<?> type, String what) {
        boolean hasReactor = PublisherType.hasReactor();
        return new ResilienceConfigurationException(
                "The method " + MethodNames.full(method, type) + " " + what
                        + ", which cannot be protected: its work begins or ends after it has returned"
                        + (hasReactor
                                ? ""
                                : ", and io.projectreactor:reactor-core, which reactive types need, is missing"),
                (hasReactor ? "" : "Add io.projectreactor:reactor-core if it is a type of RxJava 3 or Mutiny. ")
                        + "Return a value, CompletableFuture, CompletionStage, Mono, Flux or what Spring's "
                        + "ReactiveAdapterRegistry makes of these, suspend in Kotlin, or move the annotations to a method that does.");
    }
}
