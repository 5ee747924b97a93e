package dev.resilience.spring.deadletter;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.UnreadableLetterException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.pipeline.Invocation;
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
 */
record DeadLetterMethod(Method method, String operation, ResultCodec arguments, BeanNames beans) {

    /**
     * A call that ran out of retries.
     *
     * @param failure of its last attempt; {@code null} if that returned a result which asks for another one
     */
    DeadLetter letter(String policy, Invocation call, int attempts, @Nullable Throwable failure) {
        return new DeadLetter(
                UUID.randomUUID().toString(),
                policy,
                beans.of(call instanceof ProtectedCall ofBean ? ofBean.target() : null),
                operation,
                arguments.write(call.arguments()),
                failure == null
                        ? new LetterFailure(
                                RetryExhaustedException.class.getName(), "The last result asks for another attempt")
                        : LetterFailure.of(failure),
                attempts);
    }

    /** Makes a call again through the bean's proxy, and waits for its end. No context of this thread is the call's. */
    void replay(DeadLetter letter) throws Throwable {
        Object bean = bean(letter);
        @Nullable Object[] values = values(letter);
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        CallContext before = CallContext.current();
        new CallContext(null, Attempt.ofReplay()).makeCurrent();
        try {
            AsyncResults.await(invocable.invoke(bean, values), method);
        } catch (InvocationTargetException failed) {
            throw failed.getTargetException();
        } finally {
            before.makeCurrent();
        }
    }

    private Object bean(DeadLetter letter) {
        Object bean = beans.get(letter.bean());
        if (bean == null) {
            throw new UnreadableLetterException(
                    "there is no bean '" + letter.bean() + "' with the method " + operation, null);
        }
        return bean;
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
