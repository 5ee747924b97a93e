package dev.resilience.spring.aop;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Which return types a pipeline can handle. A result that is not there yet when the method returns needs care. */
final class ReturnTypes {

    /** Types whose work begins after the method has returned, or ends then: to protect the method would protect nothing. */
    private static final Pattern LATE = Pattern.compile(
            "java\\.util\\.concurrent\\.(Callable|CompletionStage|Future|Flow\\$Publisher)"
                    + "|org\\.reactivestreams\\.Publisher"
                    + "|io\\.reactivex\\.(rxjava3\\.core\\.)?(Single|Maybe|Completable|Observable)Source"
                    + "|io\\.smallrye\\.mutiny\\.Uni"
                    + "|kotlinx\\.coroutines\\.(Job|flow\\.Flow)"
                    + "|org\\.springframework\\.web\\..*\\.(DeferredResult|WebAsyncTask|ResponseBodyEmitter|StreamingResponseBody)");

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
        if (isLate(returned)) {
            throw refusal(method, type, returned);
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
        String missing = BRIDGE.entrySet().stream()
                .filter(library -> !ClassUtils.isPresent(library.getValue(), ReturnTypes.class.getClassLoader()))
                .map(library -> "'" + library.getKey() + "'")
                .collect(Collectors.joining(" and "));
        if (!missing.isEmpty()) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type)
                            + " is a suspending function, which Spring's proxies cannot wait for without " + missing,
                    "Add " + missing + " to the class path; Spring Boot manages the version.");
        }
        if ((isLate(returned) || PublisherType.of(returned) != null)
                && !returned.getName().equals(FLOW)) {
            throw new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " is a suspending function and returns "
                            + returned.getName() + ", whose work begins or ends after it has returned",
                    "Return the value that is in it, as a suspending function can, or a Flow; or do not suspend.");
        }
    }

    private static boolean isLate(@Nullable Class<?> type) {
        return type != null
                && !type.getName().startsWith("java.lang.")
                && (LATE.matcher(type.getName()).matches()
                        || isLate(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(ReturnTypes::isLate));
    }

    private static ResilienceConfigurationException refusal(Method method, Class<?> type, Class<?> returned) {
        boolean hasReactor = PublisherType.hasReactor();
        return new ResilienceConfigurationException(
                "The method " + MethodNames.full(method, type) + " returns " + returned.getName()
                        + ", which cannot be protected: its work begins or ends after it has returned"
                        + (hasReactor
                                ? ""
                                : ", and io.projectreactor:reactor-core, which reactive types need, is missing"),
                (hasReactor ? "" : "Add io.projectreactor:reactor-core if it is a type of RxJava 3 or Mutiny. ")
                        + "Return a value, CompletableFuture, CompletionStage, Mono, Flux or what Spring's "
                        + "ReactiveAdapterRegistry makes of these, suspend in Kotlin, or move the annotations to a method that does.");
    }
}
