package dev.resilience.log;

/** What a made-up policy tells of. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum TestEvent implements LogEvent {
    FAILED(LogLine.warn("test_failed", "failures", "failed")),
    MENDED(LogLine.info("test_mended", "mended", "mended")),
    IGNORED(LogLine.counted("ignored", "ignored"));

    private final LogLine line;

    TestEvent(LogLine line) {
        this.line = line;
    }

    @Override
    public LogLine line() {
        return line;
    }
}
