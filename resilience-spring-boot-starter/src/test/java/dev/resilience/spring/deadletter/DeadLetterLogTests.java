package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.spring.deadletter.DeadLetters.Replayer;
import dev.resilience.spring.log.CapturedLines;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log promises no replay that may not come: letters may be replayed by hand alone, or be given up. */
class DeadLetterLogTests {

    private static final Replayer FAILING = (letter, attempt) -> {
        throw new IOException("down");
    };
    private static final Replayer REFUSED = (letter, attempt) -> {
        throw new BulkheadFullException("orders", "full");
    };

    private final CapturedLines log = CapturedLines.of(DeadLetters.class);
    private final ManualTimeSource time = new ManualTimeSource();
    private final MemoryDeadLetterStore store = new MemoryDeadLetterStore(time);
    private final DeadLetters letters = new DeadLetters("orders", store, Environment.of(time));

    DeadLetterLogTests() {
        store.store(
                new DeadLetter("id", "orders", "b", "A.b()", new byte[0], new LetterFailure("a.B", ""), 3),
                Duration.ZERO);
    }

    @AfterEach
    void close() {
        log.close();
    }

    private String replay(Replayer replayer) {
        time.advance(Duration.ofSeconds(2)); // one without a line, so that the line is not folded
        letters.replay("id", replayer);
        return log.all().get(log.all().size() - 1).getFormattedMessage();
    }

    @Test
    void aReplayThatFailedSaysHowLongTheLetterIsLeftAlone() {
        assertThat(replay(FAILING)).endsWith("down. It is kept. Automatic replays leave it alone for 2 min");
        assertThat(replay(REFUSED)).endsWith("full. It is kept. Automatic replays leave it alone for 60 s");
    }

    @Test
    void aLetterThatIsGivenUpIsNotSaidToBeReplayedAgain() {
        for (int i = 0; i < DeadLetters.MAX_REPLAYS; i++) {
            letters.replay("id", FAILING);
        }

        assertThat(replay(FAILING)).endsWith("down. It is kept, but no automatic replay takes it again");
        assertThat(replay(REFUSED)).endsWith("full. It is kept, but no automatic replay takes it again");
    }
}
