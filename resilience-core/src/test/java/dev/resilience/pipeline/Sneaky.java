package dev.resilience.pipeline;

/** Throws checked exceptions where none can be thrown, as Kotlin, Lombok and byte code of other languages do. */
public final class Sneaky {

    private Sneaky() {}

    /**
     * Throws.
     *
     * @return never; so that the body of a lambda can be made of it
     */
    public static boolean sneak(Throwable thrown) {
        Sneaky.<RuntimeException>rethrow(thrown);
        return false;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // this is the trick
    private static <X extends Throwable> void rethrow(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
