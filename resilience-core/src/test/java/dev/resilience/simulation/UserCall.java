package dev.resilience.simulation;

/** One call of a user's, with what became of it. */
final class UserCall {

    private final StormRecord log;
    private final long start;
    private boolean retried;

    UserCall(StormRecord log, long start) {
        this.log = log;
        this.start = start;
        log.callMade(start);
    }

    void retried() {
        retried = true;
        log.retry();
    }

    void ended(Answer answer) {
        log.callEnded(start, answer.isOk(), retried);
    }
}
