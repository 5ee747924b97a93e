package dev.resilience.concurrency;

/** How much a test tries: less in an ordinary build, more with {@code -Dstress=long}, which {@code -Plong} sets. */
public final class Effort {

    static final boolean LONG = "long".equals(System.getProperty("stress"));

    private Effort() {}

    /** One of two numbers. */
    public static int of(int ordinarily, int atLength) {
        return LONG ? atLength : ordinarily;
    }
}
