package dev.resilience.spring.kind;

/** An action of an operator lacks what it needs. The message says what, the cure what to send. */
public final class ActionRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String cure;

    public ActionRefusedException(String message, String cure) {
        super(message);
        this.cure = cure;
    }

    public String cure() {
        return cure;
    }
}
