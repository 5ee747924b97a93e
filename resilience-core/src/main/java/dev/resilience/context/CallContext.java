package dev.resilience.context;

import dev.resilience.exception.DeadlineExceededException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What belongs to a call and not to the thread that happens to run it: its deadline, the attempt that it is part of, and
 * the idempotent call around it. A step that goes on with a call on another thread takes it along.
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @param deadline when the call must be done, if that matters
 * @param attempt the retry around the call, if there is one
 * @param idempotency the idempotent call around the call, if there is one
 */
public record CallContext(
        @Nullable Deadline deadline,
        @Nullable Attempt attempt,
        @Nullable IdempotencyContext idempotency) {

    /** That of a call of which nothing is known. */
    public static final CallContext NONE = new CallContext(null, null);

    /** In what {@link #ofThread()} returns: the current {@link Deadline}. */
    public static final int DEADLINE = 0;

    /** In what {@link #ofThread()} returns: the current {@link Attempt}. */
    public static final int ATTEMPT = 1;

    /** In what {@link #ofThread()} returns: the current {@link IdempotencyContext}. */
    public static final int IDEMPOTENCY = 2;

    /** In what {@link #ofThread()} returns: the innermost body that runs on the thread and may be interrupted. */
    public static final int EXECUTION = 3;

    /**
     * In what {@link #ofThread()} returns: what observes the current call alone, a {@link CallObserver} that may listen to
     * events too. It goes wherever the call does.
     */
    public static final int OBSERVER = 4;

    /** Carries the log's MDC and the context class loader. */
    static final ContextCarrier LOG_AND_LOADER = CallContext::withLogAndLoader;

    private static final ThreadLocal<@Nullable Object[]> SLOTS = ThreadLocal.withInitial(() -> new Object[5]);

    /** That of a call that comes from elsewhere. */
    public CallContext(@Nullable Deadline deadline, @Nullable Attempt attempt) {
        this(deadline, attempt, null);
    }

    /** The context of the call that the current thread works for. */
    public static CallContext current() {
        Deadline deadline = Deadline.current();
        @Nullable Object[] slots = ofThread();
        Attempt attempt = (Attempt) slots[ATTEMPT];
        IdempotencyContext idempotency = (IdempotencyContext) slots[IDEMPOTENCY];
        boolean isEmpty = deadline == null && attempt == null && idempotency == null;
        return isEmpty ? NONE : new CallContext(deadline, attempt, idempotency);
    }

    /**
     * Where the current thread keeps all of it, for those who change it on every call and want to find it once. Only for
     * this thread. Not for applications.
     */
    public static @Nullable Object[] ofThread() {
        return SLOTS.get(); // a class of the JDK's: what stays on pooled threads keeps no class loader alive
    }

    /**
     * The current thread is about to call the method. For the innermost step of a call.
     *
     * @param invocation the call, for who observes it
     * @throws DeadlineExceededException if no time is left for it
     * @throws java.util.concurrent.CancellationException if the idempotent call around it was withdrawn before
     */
    public static void methodBegins(Object invocation) {
        Deadline.check();
        if (Attempt.watchesBeginnings) {
            @Nullable Object[] slots = ofThread();
            if (slots[ATTEMPT] instanceof Attempt attempt) {
                attempt.methodBegins();
            }
            if (slots[IDEMPOTENCY] instanceof IdempotencyContext idempotency) {
                idempotency.methodBegins();
            }
            if (slots[OBSERVER] instanceof CallObserver observer) {
                observer.methodBegins(invocation);
            }
        }
    }

    /**
     * Makes this the context of the current thread. For adapters, which put back what was current before in a {@code
     * finally}.
     */
    public void makeCurrent() {
        Deadline.makeCurrent(deadline);
        @Nullable Object[] slots = ofThread();
        slots[ATTEMPT] = attempt;
        slots[IDEMPOTENCY] = idempotency;
    }

    /** Runs an action in this context. */
    public void run(Runnable action) {
        CallContext before = current();
        makeCurrent();
        try {
            action.run();
        } finally {
            before.makeCurrent();
        }
    }

    /** What goes on elsewhere must find the classes that it would find here. */
    private static Runnable withLogAndLoader(Runnable task) {
        Map<String, String> mdc = MDC.getCopyOfContextMap();
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return () -> {
            Thread thread = Thread.currentThread();
            ClassLoader loaderBefore = thread.getContextClassLoader();
            Map<String, String> mdcBefore = MDC.getCopyOfContextMap();
            thread.setContextClassLoader(loader);
            putMdc(mdc);
            try {
                task.run();
            } finally {
                putMdc(mdcBefore);
                thread.setContextClassLoader(loaderBefore);
            }
        };
    }

    private static void putMdc(@Nullable Map<String, String> mdc) {
        if (mdc == null || mdc.isEmpty()) {
            MDC.clear();
        } else {
            MDC.setContextMap(mdc);
        }
    }
}
