package dev.resilience.deadletter;

/**
 * A call that ran out of retries. What it needs to be made again is in texts and bytes, because the classes may have changed
 * by then.
 *
 * @param id unlike every other letter's on every machine; at most 36 characters of ASCII
 * @param policy the name of the retry policy; at most {@value #MAX_TEXT} characters
 * @param bean the name of the bean whose method was called; at most {@value #MAX_TEXT} characters
 * @param operation the full name of the method with its parameter types; at most {@value #MAX_TEXT} characters
 * @param arguments a JSON array of the arguments, in UTF-8; not to be changed
 * @param failure how the last attempt ended, or the last replay that has failed
 * @param attempts how often it was tried before it was kept. The last attempt may have ended before the method was called, because its time was
 *     over: then the failure is a {@link dev.resilience.exception.DeadlineExceededException}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never changed, so that copies would serve nothing
public record DeadLetter(
        String id,
        String policy,
        String bean,
        String operation,
        byte[] arguments,
        LetterFailure failure,
        int attempts) {

    /** The longest name of a policy, a bean and a method. */
    public static final int MAX_TEXT = 500;

    public DeadLetter {
        check(id, "id", 36);
        check(policy, "policy", MAX_TEXT);
        check(bean, "bean", MAX_TEXT);
        check(operation, "operation", MAX_TEXT);
    }

    /** The same call, which has failed again. */
    public DeadLetter with(LetterFailure ofReplay) {
        return new DeadLetter(id, policy, bean, operation, arguments, ofReplay, attempts);
    }

    private static void check(String text, String what, int longest) {
        if (text.isEmpty() || text.length() > longest) {
            throw new IllegalArgumentException("A dead letter's " + what + " must have 1 to " + longest
                    + " characters, and has " + text.length() + ": " + text);
        }
    }

    /** Without the arguments, which logs must not show. */
    @Override
    public String toString() {
        return "dead letter " + id + " of " + operation;
    }
}
