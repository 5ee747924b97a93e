package dev.resilience.spring.aop;

import static dev.resilience.spring.WarningId.RETRY_BEYOND_DEADLINE;
import static dev.resilience.spring.WarningId.RETRY_BEYOND_TIME_LIMIT;
import static dev.resilience.spring.WarningId.RETRY_OF_CREATION;
import static dev.resilience.spring.WarningId.RETRY_WITHOUT_JITTER;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.policy.PropertyNames;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.WarningId;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedMethod;
import dev.resilience.spring.properties.RecordKeys;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.spring.timelimit.TimeLimitKind;
import dev.resilience.time.Durations;
import dev.resilience.timelimit.TimeLimit;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.env.Environment;
import org.springframework.util.ObjectUtils;

/** Warns of retries that work, but longer, oftener or more at once than what is around them allows. */
public final class RetryChecks {

    private static final String REQUEST_TIMEOUT = "spring.mvc.async.request-timeout";
    private static final String REQUEST_MAPPING = "org.springframework.web.bind.annotation.RequestMapping";
    private static final String HTTP_EXCHANGE = "org.springframework.web.service.annotation.HttpExchange";
    private static final String REQUEST_HEADER = "org.springframework.web.bind.annotation.RequestHeader";

    /** Names that begin with a verb that creates; a longer word, such as {@code payments}, is another one. */
    private static final Pattern CREATING =
            Pattern.compile("((charge|create|insert|purchase|refund|submit)(?![a-z])|(pay|place)[A-Z]).*");

    private static final Pattern READING =
            Pattern.compile("(count|exists|fetch|find|get|list|load|query|read|search|validate)(?![a-z]).*");

    private RetryChecks() {}

    /** The longest time that all waits of a call can take, hints of the server left aside. */
    public static Duration longestWaits(RetryPolicy policy) {
        Duration worst = policy.worstCaseWait();
        return policy.maxDuration() == null ? worst : Durations.min(worst, policy.maxDuration());
    }

    /** Warns if nothing keeps many instances from repeating their calls at the same moments. */
    public static void checkJitter(Retry retry, ObjectProvider<Environment> environment, StartupWarnings warnings) {
        CloudPlatform platform = CloudPlatform.getActive(environment.getIfAvailable());
        RetryPolicy policy = retry.policy();
        if (platform != null
                && platform != CloudPlatform.NONE
                && !policy.worstCaseWait().isZero()
                && policy.backoff().jitter() == Jitter.NONE
                && policy.backoff().function() == null) {
            String key = PropertyNames.of("resilience.retry", retry.name()) + ".backoff.jitter";
            warnings.add(RETRY_WITHOUT_JITTER.of("'" + key + "' is none, and the application runs on the platform "
                    + platform + ", where several instances that fail together try again together. Set it to full or "
                    + "equal"));
        }
    }

    /** Once all policies are there, and all of the method's. */
    static void check(ProtectedMethod<Retryable> method, LiveRegistry registry) {
        Retry retry = method.live(RetryKind.class);
        if (retry == null || retry.policy().maxAttempts() == 1) {
            return;
        }
        checkJitter(retry, method.beans(Environment.class), method.warnings());
        TimeLimit limit = method.isInside("time-limit") ? method.live(TimeLimitKind.class) : null;
        if (limit != null && limit.policy().enforce() > 0) {
            String what = "the time limit '" + limit.name() + "' around all attempts";
            checkWaits(
                    retry, method, RETRY_BEYOND_TIME_LIMIT, what, limit.policy().timeout());
        }
        Idempotency keys = method.isInside("idempotent") ? method.live(IdempotencyKind.class) : null;
        if (keys != null) {
            String what = "'max-lease' of its idempotency policy, after which another call with the same key may begin";
            checkWaits(retry, method, RETRY_BEYOND_DEADLINE, what, keys.policy().maxLease());
        }
        MergedAnnotations annotations = MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY);
        if (Boolean.TRUE.equals(method.isAsynchronous()) && annotations.isPresent(REQUEST_MAPPING)) {
            Binder.get(method.beans(Environment.class).getObject())
                    .bind(REQUEST_TIMEOUT, Duration.class)
                    .ifBound(end -> checkWaits(retry, method, RETRY_BEYOND_DEADLINE, REQUEST_TIMEOUT, end));
        }
        if (method.annotation(Idempotent.class) == null
                && !method.isTransactional()
                && creates(method.method(), annotations)
                && !sendsKeys(registry)) {
            String text =
                    "The method " + name(method) + " is retried and looks as if it creates something, which it does "
                            + "twice where only the answer of an attempt is lost. Make it @Idempotent as well, and pass "
                            + "IdempotencyContext.downstreamKeyOrNew() on";
            method.warnings().add(RETRY_OF_CREATION.of(text));
        }
    }

    private static void checkWaits(Retry retry, ProtectedMethod<?> method, WarningId id, String what, Duration end) {
        Duration waits = longestWaits(retry.policy());
        if (end.compareTo(Duration.ZERO) > 0 && end.compareTo(waits) < 0) {
            String text =
                    "The method " + name(method) + ": the waits of its retry '" + retry.name() + "' alone take up to "
                            + Durations.inWords(waits) + ", longer than the " + Durations.inWords(end) + " of " + what
                            + ". Retry less, set 'max-duration', or allow more time";
            method.warnings().add(id.of(text));
        }
    }

    private static String name(ProtectedMethod<?> method) {
        return MethodNames.full(method.method(), method.type());
    }

    /** Whether requests carry the same key in each attempt: nothing tells which method sends which. */
    private static boolean sendsKeys(LiveRegistry registry) {
        return registry.<LiveObject<?>>ofKind("http-client").values().stream()
                .map(client -> RecordKeys.view(client.policy()).get("idempotency-key"))
                .anyMatch(key -> "generate".equalsIgnoreCase(String.valueOf(key)));
    }

    /** By its name, unless it is mapped to another method than POST, or as the handler or client of a POST that carries no key. */
    private static boolean creates(Method method, MergedAnnotations annotations) {
        String verb = verb(annotations.get(REQUEST_MAPPING)) + verb(annotations.get(HTTP_EXCHANGE));
        if (CREATING.matcher(method.getName()).matches()) {
            return verb.isEmpty() || verb.equals("POST");
        }
        return verb.equals("POST")
                && !READING.matcher(method.getName()).matches()
                && Arrays.stream(method.getParameters()).noneMatch(RetryChecks::isKey);
    }

    private static boolean isKey(Parameter parameter) {
        MergedAnnotation<?> header = MergedAnnotations.from(parameter).get(REQUEST_HEADER);
        return header.isPresent() && header.getString("name").equalsIgnoreCase("Idempotency-Key");
    }

    private static String verb(MergedAnnotation<?> mapping) {
        return ObjectUtils.nullSafeToString(mapping.getValue("method").orElse(""))
                .replaceAll("\\W", "");
    }
}
