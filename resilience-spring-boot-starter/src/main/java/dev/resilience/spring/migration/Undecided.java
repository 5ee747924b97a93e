package dev.resilience.spring.migration;

/** Why an annotation is left as it is. */
final class Undecided extends Exception {

    private static final long serialVersionUID = 1L;

    Undecided(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
