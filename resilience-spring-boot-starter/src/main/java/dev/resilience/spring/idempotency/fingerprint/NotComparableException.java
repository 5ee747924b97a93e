package dev.resilience.spring.idempotency.fingerprint;

/** Says which part of an argument cannot be compared, where it is, and why. */
public final class NotComparableException extends RuntimeException {

    private final String why;
    private String place = "";

    NotComparableException(String why) {
        this.why = why;
    }

    /** Adds where the part is, from the innermost place outwards. */
    NotComparableException in(String outer) {
        place = place.isEmpty() ? outer : outer + '.' + place;
        return this;
    }

    @Override
    public String getMessage() {
        return place + ": " + why;
    }
}
