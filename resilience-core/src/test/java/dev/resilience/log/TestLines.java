package dev.resilience.log;

/** What a made-up policy tells of. */
final class TestLines {

    static final LogLine FAILED = LogLine.warn("test_failed", "failures", "failed");
    static final LogLine MENDED = LogLine.info("test_mended", "mended", "mended");
    static final LogLine IGNORED = LogLine.counted("ignored", "ignored");
    static final LogLine[] ALL = {FAILED, MENDED, IGNORED};

    private TestLines() {}
}
