package dev.resilience.simulation;

/** One execution of a method's body, and the one effect that it has. */
final class SimulatedBody {

    private final int number;
    private final String key;
    private End end = End.NONE;
    private boolean rollbackOnly;

    SimulatedBody(int number, String key) {
        this.number = number;
        this.key = key;
    }

    /** How it ended, if it has. */
    enum End {
        NONE,
        RETURNED,
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
