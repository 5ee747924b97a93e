package dev.resilience.spring.idempotency;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.idempotency.http.HttpAnswerCodec;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.kind.CallExpression;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.reflect.Method;
import java.security.Principal;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * What of a call's arguments is compared with those of an earlier call: the value of an expression; or all arguments; or, in
 * a web handler or a listener to messages, the payload. Who calls is the scope's business, and headers are others when a request
 * is repeated.
 */
final class FingerprintArguments {

    private static final String BOUND = "org.springframework.web.bind.annotation.";
    private static final String EXPRESSION = "org.springframework.beans.factory.annotation.Value";
    private static final List<String> PAYLOAD =
            List.of("RequestBody", "RequestPart", "RequestParam", "PathVariable", "MatrixVariable", "ModelAttribute");
    private static final List<String> WITH_HEADERS =
            List.of("org.springframework.http.HttpEntity", "org.springframework.http.RequestEntity");
    private static final List<Class<?>> INJECTED = List.of(
            Locale.class,
            TimeZone.class,
            ZoneId.class,
            InputStream.class,
            OutputStream.class,
            Reader.class,
            Writer.class);
    private static final Pattern INJECTED_PACKAGES =
            Pattern.compile("jakarta\\.servlet\\.|org\\.springframework\\.(http|security|ui|validation|web)\\.");

    private final Json json;
    private final String name;
    private final @Nullable CallExpression expression;
    private final List<Integer> compared = new ArrayList<>();
    private final Function<@Nullable Object, @Nullable Object> payload;

    /**
     * @param isCompared whether the policy wants the comparison, which must be possible then
     * @param listeners {@code null} if the method is none of them
     */
    FingerprintArguments(
            ProtectedMethod<Idempotent> called, Json json, boolean isCompared, @Nullable MessageListeners listeners) {
        Method method = called.method();
        Class<?> type = called.type(); // which may know more of the method's types
        String fingerprint = called.annotation().fingerprint();
        this.json = json;
        this.name = MethodNames.full(method, type);
        this.payload = listeners == null ? argument -> argument : listeners::payload;
        this.expression = fingerprint.isBlank()
                ? null
                : CallExpression.checked(
                        "fingerprint",
                        fingerprint,
                        called,
                        "\"{#order.id, #order.amount}\"",
                        CallExpression::ofArguments);
        boolean isHandler = IdempotentMethods.HTTP && HttpAnswerCodec.isHandler(method, type);
        MethodParameter[] parameters = new AnnotatedMethod(method).getMethodParameters(); // with those of interfaces
        StartupProblems problems = new StartupProblems();
        for (int i = 0; i < SuspendingFunctions.parameterCount(method); i++) {
            ResolvableType declared = ResolvableType.forMethodParameter(method, i, type);
            MergedAnnotations annotations = MergedAnnotations.from(parameters[i].getParameterAnnotations());
            boolean isPublisher = PublisherType.of(declared.toClass()) != null; // as of a principal in WebFlux
            Class<?> given = (isPublisher ? declared.getGeneric() : declared).toClass();
            ResolvableType payloadType = listeners == null ? declared : listeners.payloadType(annotations, declared);
            if (payloadType != null && (isHandler ? isPayload(annotations, given) : !isCaller(annotations, given))) {
                compared.add(i);
                if (isCompared && expression == null) {
                    int index = i;
                    problems.collect(() -> check(index, payloadType));
                }
            }
        }
        problems.throwIfAny();
    }

    private static boolean isCaller(MergedAnnotations annotations, Class<?> type) {
        return Principal.class.isAssignableFrom(type)
                || annotations.stream().anyMatch(annotation -> isOf("org.springframework.security.", annotation));
    }

    /** A {@code RequestEntity} has a body, and headers as well: it is refused. */
    private static boolean isPayload(MergedAnnotations annotations, Class<?> type) {
        if (PAYLOAD.stream().anyMatch(name -> annotations.isPresent(BOUND + name))
                || WITH_HEADERS.contains(type.getName())) {
            return true;
        }
        return annotations.stream().noneMatch(annotation -> isOf(BOUND, annotation) || isOf(EXPRESSION, annotation))
                && !isCaller(annotations, type)
                && !isModel(annotations, type)
                && INJECTED.stream().noneMatch(injected -> injected.isAssignableFrom(type))
                && !INJECTED_PACKAGES.matcher(type.getName()).lookingAt();
    }

    /** A map without an annotation is the model, with what other methods have put into it. */
    private static boolean isModel(MergedAnnotations annotations, Class<?> type) {
        return Map.class.isAssignableFrom(type)
                && annotations.stream().findAny().isEmpty();
    }

    private static boolean isOf(String packages, MergedAnnotation<?> annotation) {
        return annotation.getType().getName().startsWith(packages);
    }

    private void check(int i, ResolvableType declared) {
        String why = json.whyNotComparable(declared);
        if (why != null) {
            throw new ResilienceConfigurationException(
                    "Argument " + i + " of the @Idempotent method " + name + " cannot be compared with that of another "
                            + "call with the same key: " + why,
                    "Say what is compared by @Idempotent(fingerprint = \"...\"); make a field that is a mere tool "
                            + "transient; or choose a policy with 'fingerprint: false'.");
        }
    }

    /** What is compared, as bytes. */
    byte[] describe(@Nullable Object[] all) {
        try {
            return json.comparable(
                    expression != null
                            ? expression.value(all)
                            : compared.stream().map(i -> payload.apply(all[i])).toArray());
        } catch (RuntimeException incomparable) {
            throw new IllegalStateException(
                    "The arguments of the @Idempotent method " + name
                            + " cannot be compared with those of other calls, so the call was not made: "
                            + incomparable.getMessage()
                            + ". Say what is compared by @Idempotent(fingerprint = \"...\"), or "
                            + "choose a policy with 'fingerprint: false'.",
                    incomparable);
        }
    }
}
