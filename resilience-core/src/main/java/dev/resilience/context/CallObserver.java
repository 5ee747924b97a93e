package dev.resilience.context;

/**
 * What observes one call, see {@link CallContext#OBSERVER}. It throws nothing. A call inside the observed one, which need not be
 * observed itself, is another invocation.
 */
public interface CallObserver {

    /** For adapters that observe calls: from now on calls say when their methods begin. Other applications do not pay for that. */
    static void watchBeginnings() {
        Attempt.watchesBeginnings = true;
    }

    /** The method is about to be called. */
    void methodBegins(Object invocation);

    /** A fallback is about to answer in place of the method. */
    void fallbackBegins(Object invocation);
}
