package dev.resilience.spring.idempotency.json;

import java.util.Arrays;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/** Types whose objects are none that could be compared, or kept and given again. */
public final class NonValueTypes {

    private static final List<Class<?>> READ_ONCE = List.of(Iterator.class, Enumeration.class, BaseStream.class);

    /** By name, because many are of libraries that may not be there. */
    private static final Set<String> NAMES = Set.of(
            "java.io.Closeable",
            "java.lang.Thread",
            "java.util.concurrent.Future",
            "java.util.concurrent.locks.Lock",
            "org.springframework.beans.factory.BeanFactory",
            "org.springframework.core.io.InputStreamSource",
            "org.springframework.validation.Errors",
            "kotlinx.coroutines.flow.Flow",
            "org.reactivestreams.Publisher",
            "java.util.concurrent.Flow$Publisher",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.smallrye.mutiny.Uni",
            "org.springframework.http.HttpEntity",
            "org.springframework.http.HttpHeaders",
            "org.springframework.http.HttpMessage",
            "org.springframework.web.server.ServerWebExchange",
            "org.springframework.web.server.WebSession",
            "org.springframework.web.context.request.WebRequest",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private NonValueTypes() {}

    /** Why objects of a type are no values, or {@code null} if they may well be. */
    public static @Nullable String why(Class<?> type) {
        if (isNamed(type)) {
            return type.getName() + " is not a value";
        }
        boolean isOfJdk = type.getName().startsWith("java.");
        if (isOfJdk && type.isInterface() && type.isAnnotationPresent(FunctionalInterface.class)) {
            return whyCode(type); // the application's own may well be implemented by records
        }
        return READ_ONCE.stream().anyMatch(supertype -> supertype.isAssignableFrom(type))
                ? type.getName() + " can be read only once"
                : null;
    }

    static String whyCode(Class<?> type) {
        return type.getName() + " is code and no value";
    }

    private static boolean isNamed(@Nullable Class<?> type) {
        return type != null
                && type != Object.class
                && (NAMES.contains(type.getName())
                        || type.getName().startsWith("jakarta.servlet.")
                        || isNamed(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(NonValueTypes::isNamed));
    }
}
