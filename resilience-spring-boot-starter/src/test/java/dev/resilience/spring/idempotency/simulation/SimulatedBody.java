package dev.resilience.spring.idempotency.simulation;

/** One execution of a method's body, and the one effect that it has. */
final class SimulatedBody {

    /** In a result that asks for another attempt. */
    static final String UNFINISHED = "?";

    private final int number;
    private final String key;
    private End end = End.NONE;
    private boolean rollbackOnly;
    private boolean decidedByCaller;

    SimulatedBody(int number, String key) {
        this.number = number;
        this.key = key;
    }

    /** How it ended, if it has. */
    enum End {
        NONE,
        RETURNED,
        /** With a result that asks for another attempt. */
        UNFINISHED,
        /** With an exception that is an answer. */
        DECLINED,
        /** With one that is none: what it has left behind is the application's own business. */
        THREW
    }

    String key() {
        return key;
    }

    /** What it returns, unlike what any other returns. */
    String value() {
        return key + "#" + number;
    }

    void ended(End how) {
        end = how;
    }

    /** Its effect is to be rolled back by its own wish, although it returns. */
    void wantsNoEffect() {
        rollbackOnly = true;
    }

    boolean wantsEffect() {
        return !rollbackOnly;
    }

    /** The body that a result is of, without what follows. */
    static String valueOf(String result) {
        int end = result.indexOf(UNFINISHED);
        return end < 0 ? result : result.substring(0, end);
    }

    /** The end of the caller's transaction decides about it and its result together. */
    void decidedByCaller() {
        decidedByCaller = true;
    }

    boolean isDecidedByCaller() {
        return decidedByCaller;
    }

    boolean unfinished() {
        return end == End.UNFINISHED;
    }

    boolean threw() {
        return end == End.THREW;
    }

    boolean answered() {
        return end == End.RETURNED || end == End.DECLINED;
    }

    @Override
    public String toString() {
        return value() + " (" + end + ")";
    }
}
