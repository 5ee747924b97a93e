package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A stream that may be retried keeps nothing of its elements, however many there are. */
class LongStreamsTests {

    private static final int ELEMENTS = 1_000;

    private final ProtectedByPipeline app = new ProtectedByPipeline();
    private final List<WeakReference<Object>> made = new ArrayList<>();
    private long kept;

    @Test
    void anElementThatWasHandedOutIsNotKept() {
        Mono<Long> elements = Flux.<Object>generate(sink -> sink.next(element()))
                .take(ELEMENTS)
                .concatWith(Flux.error(new ConnectException("refused")))
                .transformDeferred(ResilienceOperator.of(app.all()))
                .onErrorComplete()
                .count();

        assertThat(elements.block()).isEqualTo(ELEMENTS);

        assertThat(kept).isLessThan(10); // those that are on the stack
    }

    private Object element() {
        if (made.size() == ELEMENTS - 1) {
            System.gc();
            kept = made.stream().filter(element -> element.get() != null).count();
        }
        Object element = new Object();
        made.add(new WeakReference<>(element));
        return element;
    }
}
