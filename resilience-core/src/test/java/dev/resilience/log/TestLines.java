package dev.resilience.log;

/** What a made-up policy reports. */
final class TestLines {

    static final LogLine FAILED = LogLine.warn("test_failed", "failed");
    static final LogLine MENDED = LogLine.info("test_mended", "mended");
    static final LogLine UNCOUNTED = LogLine.warn("test_uncounted");

    private TestLines() {}
}
