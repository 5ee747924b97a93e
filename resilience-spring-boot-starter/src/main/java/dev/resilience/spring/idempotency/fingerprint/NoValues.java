package dev.resilience.spring.idempotency.fingerprint;

import java.io.Closeable;
import java.lang.reflect.Modifier;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.io.InputStreamSource;
import org.springframework.validation.Errors;

/** Types whose objects are none that could be compared, or kept and given again. */
public final class NoValues {

    private static final List<Class<?>> TYPES =
            List.of(Closeable.class, InputStreamSource.class, Errors.class, Future.class, BeanFactory.class);
    private static final List<Class<?>> READ_ONCE = List.of(Iterator.class, Enumeration.class, BaseStream.class);

    /** Of libraries that may not be there. */
    private static final Set<String> NAMES = Set.of(
            "kotlinx.coroutines.flow.Flow",
            "org.reactivestreams.Publisher",
            "java.util.concurrent.Flow$Publisher",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.smallrye.mutiny.Uni",
            "org.springframework.http.HttpMessage",
            "org.springframework.web.server.ServerWebExchange",
            "org.springframework.web.server.WebSession",
            "org.springframework.web.context.request.WebRequest",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private NoValues() {}

    /** Why objects of a type are no values, or {@code null} if they may well be. */
    public static @Nullable String why(Class<?> type) {
        if (isAny(TYPES, type) || isNamed(type)) {
            return type.getName() + " is not a value";
        }
        if (isCode(type)) {
            return whyCode(type);
        }
        if (isAny(READ_ONCE, type)) {
            return type.getName() + " can be read only once";
        }
        return null;
    }

    static String whyCode(Class<?> type) {
        return type.getName() + " is code and no value";
    }

    private static boolean isAny(List<Class<?>> supertypes, Class<?> type) {
        return supertypes.stream().anyMatch(supertype -> supertype.isAssignableFrom(type));
    }

    /** The application's own functional interfaces may well be implemented by records. */
    private static boolean isCode(Class<?> type) {
        return type.isAnnotationPresent(FunctionalInterface.class)
                && Modifier.isInterface(type.getModifiers())
                && type.getName().startsWith("java.");
    }

    private static boolean isNamed(@Nullable Class<?> type) {
        if (type == null || type == Object.class) {
            return false;
        }
        if (NAMES.contains(type.getName()) || type.getName().startsWith("jakarta.servlet.")) {
            return true;
        }
        for (Class<?> implemented : type.getInterfaces()) {
            if (isNamed(implemented)) {
                return true;
            }
        }
        return isNamed(type.getSuperclass());
    }
}
