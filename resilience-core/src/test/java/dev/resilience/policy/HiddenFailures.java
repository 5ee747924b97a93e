package dev.resilience.policy;

/** An exception that code outside its package can catch and list but neither name nor make. */
public final class HiddenFailures {

    private HiddenFailures() {}

    public static Class<? extends Throwable> type() {
        return Declined.class;
    }

    public static RuntimeException declined(String message) {
        return new Declined(message);
    }

    static final class Declined extends RuntimeException {

        public Declined(String message) {
            super(message);
        }
    }
}
