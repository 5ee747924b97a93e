package dev.resilience.spring.deadletter;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.UnreadableLetterException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.Retry;
import dev.resilience.spring.idempotency.json.ResultCodec;
import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method whose calls are kept when they run out of retries.
 *
 * @param operation its full name, by which its letters find it again
 * @param arguments how they become JSON and arguments again
 * @param mayChangeArguments whether the method can change them, so that they are written before it is called
 */
record DeadLetterMethod(
        Retry retry,
        Method method,
        String operation,
        ResultCodec arguments,
        boolean mayChangeArguments,
        BeanNames beans) {

    /** What a letter needs of a call that begins: its arguments as JSON, or why they are none; nothing if that can wait. */
    @Nullable
    Object begins(Invocation call) {
        try {
            return mayChangeArguments ? arguments.write(call.arguments()) : null;
        } catch (Throwable unwritable) { // a StackOverflowError too; told if the call runs out
            return unwritable;
        }
    }

    /**
     * A call that ran out of retries.
     *
     * @param begun what {@link #begins} returned
     * @param failure of its last attempt; {@code null} if that returned a result which asks for another one
     */
    DeadLetter letter(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure) {
        if (begun instanceof Throwable unwritable) {
            String why = unwritable.getMessage();
            throw new IllegalStateException(
                    why == null // as that of a StackOverflowError
                            ? "the arguments cannot be written: "
                                    + unwritable.getClass().getName()
                            : why,
                    unwritable);
        }
        return new DeadLetter(
                UUID.randomUUID().toString(),
                retry.name(),
                beans.of(call instanceof ProtectedCall ofBean ? ofBean.target() : null),
                operation,
                begun instanceof byte[] written ? written : arguments.write(call.arguments()),
                failure == null
                        ? new LetterFailure(
                                RetryExhaustedException.class.getName(), "The last result asks for another attempt")
                        : LetterFailure.of(failure),
                attempts);
    }

    /** Makes a call again through the bean's proxy, and waits for its end. No context of this thread is the call's. */
    void replay(DeadLetter letter, Attempt attempt) throws Throwable {
        Object bean = bean(letter);
        @Nullable Object[] values = values(letter);
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        Object result;
        try {
            result = OwnThread.call(() -> {
                new CallContext(null, attempt).makeCurrent();
                return call(invocable, bean, values);
            });
        } catch (InvocationTargetException failed) {
            throw failed.getTargetException();
        }
        if (retry.asksForRetry(result)) {
            throw new RetryExhaustedException(retry.name(), retry.policy().maxAttempts(), "");
        }
    }

    private @Nullable Object call(Method invocable, Object bean, @Nullable Object[] values) throws Exception {
        Object returned = invocable.invoke(bean, values);
        try {
            return AsyncResults.await(returned, method);
        } catch (Throwable failed) {
            throw new InvocationTargetException(failed);
        }
    }

    /** Why there is no bean to call; {@code null} if there is one. */
    @Nullable
    String whyNoBean(DeadLetter letter) {
        return beans.have(letter.bean())
                ? null
                : "there is no bean '" + letter.bean() + "' with the method " + operation;
    }

    private Object bean(DeadLetter letter) {
        String why = whyNoBean(letter);
        if (why != null) {
            throw new UnreadableLetterException(why, null);
        }
        return beans.get(letter.bean());
    }

    private @Nullable Object[] values(DeadLetter letter) {
        try {
            return (Object[]) Objects.requireNonNull(arguments.read(letter.arguments()));
        } catch (RuntimeException unreadable) {
            // the message of the cause may show arguments
            throw new UnreadableLetterException(
                    "its arguments cannot be read any more ("
                            + unreadable.getClass().getName() + ")",
                    unreadable);
        }
    }
}
