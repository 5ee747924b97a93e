package dev.resilience.spring.deadletter;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.KeptCalls;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.log.LoggedFailure;
import dev.resilience.pipeline.Invocation;
import dev.resilience.retry.Retry.ExhaustedCalls;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.UnreadableLetterException;
import dev.resilience.spring.idempotency.json.Json.ResultCodec;
import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ReflectionUtils;

/**
 * A method whose calls are kept when they run out of retries.
 *
 * @param operation its full name, by which its letters find it again
 * @param arguments how they become JSON and arguments again
 */
record DeadLetterMethod(KeepingRetry retry, Method method, String operation, ResultCodec arguments, BeanNames beans)
        implements ExhaustedCalls {

    /** What a letter needs of a call that begins: its arguments as JSON before the method can change them, or why not. */
    @Override
    public Object begins(Invocation call) {
        try {
            return arguments.write(call.arguments());
        } catch (Throwable unwritable) { // a StackOverflowError too; reported if the call runs out
            return unwritable;
        }
    }

    @Override
    public void ranOut(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure) {
        retry.letters().keep(failure, () -> letter(call, begun, attempts, failure));
    }

    @Override
    public void failedOtherwise(Throwable failure) {
        KeptCalls.note(failure, null);
    }

    private DeadLetter letter(Invocation call, @Nullable Object begun, int attempts, @Nullable Throwable failure) {
        if (begun instanceof Throwable unwritable) {
            throw new IllegalStateException("the arguments cannot be written: " + LoggedFailure.of(unwritable));
        }
        return new DeadLetter(
                UUID.randomUUID().toString(),
                retry.name(),
                beans.of((ProtectedCall) call),
                operation,
                (byte[]) Objects.requireNonNull(begun),
                failure == null
                        ? new LetterFailure(
                                RetryExhaustedException.class.getName(), "The last result asks for another attempt")
                        : LetterFailure.of(failure),
                attempts);
    }

    /** Makes a call again through the bean's proxy, and waits for its end. No context of this thread is the call's. */
    void replay(DeadLetter letter, Attempt attempt) throws Throwable {
        Object bean = beans.beans().getBean(letter.bean());
        @Nullable Object[] values = values(letter);
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        Object result;
        try {
            result = onOwnThread(() -> {
                new CallContext(null, attempt).makeCurrent();
                return ended(invocable.invoke(bean, values));
            });
        } catch (InvocationTargetException | ExecutionException failed) {
            throw Objects.requireNonNullElse(failed.getCause(), failed);
        }
        if (retry.asksForRetry(result)) {
            throw new RetryExhaustedException(retry.name(), retry.policy().maxAttempts(), "");
        }
    }

    /** The result of the method: waits for that of an asynchronous one, and subscribes to a publisher, on this thread. */
    private @Nullable Object ended(@Nullable Object returned) throws Exception {
        CompletableFuture<?> running = running(returned);
        if (running == null) {
            return returned;
        }
        long minutes = DeadLetters.MAX_LEASE.toMinutes();
        try {
            return running.get(minutes, TimeUnit.MINUTES);
        } catch (TimeoutException tooLong) {
            throw new IllegalStateException("The call did not end within " + minutes + " minutes", tooLong);
        } finally {
            running.cancel(true);
        }
    }

    private @Nullable CompletableFuture<?> running(@Nullable Object returned) {
        if (returned instanceof CompletionStage<?> stage) {
            return stage.toCompletableFuture();
        }
        ReactiveAdapter publishers = adapter(method.getReturnType());
        ReactiveAdapter futures = adapter(CompletableFuture.class);
        return returned == null || publishers == null || futures == null
                ? null
                : (CompletableFuture<?>) futures.fromPublisher(publishers.toPublisher(returned));
    }

    private static @Nullable ReactiveAdapter adapter(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    private @Nullable Object[] values(DeadLetter letter) {
        try {
            return (Object[]) Objects.requireNonNull(arguments.read(letter.arguments()));
        } catch (RuntimeException unreadable) {
            String why = unreadable.getClass().getName(); // its message may show arguments
            throw new UnreadableLetterException("its arguments cannot be read any more (" + why + ")", unreadable);
        }
    }

    /** Whether a method returns a stream, of which nothing tells when it has done its work. */
    static boolean isStream(Method method) {
        ReactiveAdapter adapter = adapter(method.getReturnType());
        return adapter != null && adapter.isMultiValue();
    }

    /**
     * Runs a replay on a thread of its own, so that nothing that is bound to this one is the call's, such as the request, the
     * rights and the transaction of an operator. Waits for the end, however long that takes: as long as the task runs, nothing
     * else may begin that it excludes. An interrupt of this thread interrupts the task, and is there again afterwards.
     */
    static <T> @Nullable T onOwnThread(Callable<@Nullable T> task) throws Throwable {
        FutureTask<@Nullable T> running = new FutureTask<>(task);
        Thread thread = new Thread(null, running, "resilience-replay", 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        thread.start();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException ofCaller) {
                interrupted = true;
                thread.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            return running.get();
        } catch (ExecutionException failed) {
            throw Objects.requireNonNullElse(failed.getCause(), failed);
        }
    }
}
