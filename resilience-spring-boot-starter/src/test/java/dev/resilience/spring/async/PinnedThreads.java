package dev.resilience.spring.async;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** What the JVM tells of virtual threads that blocked without letting go of their carrier. */
final class PinnedThreads implements AutoCloseable {

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final Recording recording = new Recording();

    private PinnedThreads() {
        recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
        recording.start();
    }

    static PinnedThreads recorded() {
        return new PinnedThreads();
    }

    /** The stacks of those that were pinned, with a frame of a class or package whose name begins so. */
    List<String> below(String prefix) throws IOException {
        Path file = Files.createTempFile("pinned", ".jfr");
        try {
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals(PINNED))
                    .filter(event -> hasFrameOf(event, prefix))
                    .map(RecordedEvent::toString)
                    .toList();
        } finally {
            Files.delete(file);
        }
    }

    private static boolean hasFrameOf(RecordedEvent event, String prefix) {
        return event.getStackTrace() == null // not known whose it is
                || event.getStackTrace().getFrames().stream()
                        .anyMatch(frame -> frame.getMethod().getType().getName().startsWith(prefix));
    }

    @Override
    public void close() {
        recording.close();
    }
}
