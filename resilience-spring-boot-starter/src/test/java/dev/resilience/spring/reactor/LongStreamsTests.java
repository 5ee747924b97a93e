package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A stream that may be retried keeps nothing of its elements, however many there are. */
class LongStreamsTests {

    private static final int ELEMENTS = 200_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ProtectedByPipeline app = new ProtectedByPipeline();

    @Test
    void anElementTakesNoMemory() {
        Mono<Long> elements = Flux.<String>generate(sink -> sink.next("element"))
                .take(ELEMENTS)
                .concatWith(Flux.error(new ConnectException("refused")))
                .transformDeferred(ResilienceOperator.of(app.all()))
                .onErrorComplete()
                .count();
        assertThat(elements.block()).isEqualTo(ELEMENTS);

        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(elements.block()).isEqualTo(ELEMENTS);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                .as("bytes of %s elements", ELEMENTS)
                .isLessThan(ELEMENTS);
    }
}
