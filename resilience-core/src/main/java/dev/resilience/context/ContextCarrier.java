package dev.resilience.context;

/**
 * Takes something that is bound to threads along to the threads on which a call goes on: the log's context, the security
 * context. The deadline and the attempt of a call travel by themselves, see {@link CallContext}.
 *
 * <p>Implementations are safe for use by many threads.
 */
@FunctionalInterface
public interface ContextCarrier {

    /**
     * Takes what is current for this thread, and returns a task that runs the given one with it, on whatever thread,
     * and puts back afterwards what that thread had before. An asynchronous call may go on more than once, so the
     * returned task may be run never or several times, and by several threads at once.
     *
     * @param task run once by each run of the returned one, on the same thread, whatever it throws
     */
    Runnable wrap(Runnable task);

    /** Carries what every call needs: SLF4J's MDC and the context class loader. */
    static ContextCarrier standard() {
        return CallContext.LOG_AND_LOADER;
    }

    /** Carries what this one does and what the other one does; the other one's is put in place later. */
    default ContextCarrier and(ContextCarrier inner) {
        return task -> wrap(inner.wrap(task));
    }
}
