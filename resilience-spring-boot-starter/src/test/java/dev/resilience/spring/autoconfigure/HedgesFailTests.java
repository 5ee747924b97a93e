package dev.resilience.spring.autoconfigure;

import dev.resilience.annotation.Hedge;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Flux;

/** Methods that must not be called a second time while they run. */
class HedgesFailTests extends FailingStartup {

    private static final String KEYS = "resilience.idempotency-store.type: memory\n";
    private static final String FREE = KEYS + "resilience.hedge.free.side-effect-free: true\n";

    @Test
    void aMethodThatIsRetried() {
        fail(FREE, Retried.class)
                .blames(Retried.class, "find()")
                .says("@Hedge and is retried too")
                .advises("Remove one of @Hedge and @Retryable");
    }

    @Test
    void aMethodThatIsNotIdempotent() {
        fail(KEYS, Bare.class)
                .blames(Bare.class, "find()")
                .says("may have an effect")
                .advises("Make it @Idempotent", "'resilience.hedge.default.side-effect-free' to true");
    }

    @Test
    void aHedgeOutsideTheIdempotentCall() {
        fail(KEYS + "resilience.order: [hedge, idempotent, bulkhead, circuit-breaker, retry, time-limit]", Keyed.class)
                .says("'resilience.order' has the hedge outside");
    }

    @Test
    void anIdempotentMethodInATransaction() {
        fail(KEYS, InTransaction.class)
                .blames(InTransaction.class, "pay(java.lang.String)")
                .says("both might be committed")
                .advises("Move @Hedge to the method that calls the other service");
    }

    @Test
    void aStream() {
        fail(FREE, Stream.class)
                .blames(Stream.class, "all()")
                .says("is @Hedge and returns Flux, but a stream that has no end yet can be neither stored")
                .advises("Return all elements as one value", "or move @Hedge to a method that does", "enabled = false");
    }

    @Test
    void aMethodThatWritesToWhatItGets() {
        fail(FREE, Export.class)
                .blames(Export.class, "write(java.io.OutputStream)")
                .says("the output of both attempts would be mixed")
                .advises("Return what it writes");
    }

    @Test
    void aLoadThatIsNone() {
        fail(FREE + "resilience.hedge.free.max-extra-load: 0", Free.class).says("must be above 0");
        fail(FREE + "resilience.hedge.free.max-extra-load: 5", Free.class).says("for 5.0 percent write 0.05");
    }

    @Test
    void whatIsKeyedOrFreeOfEffectsStarts() {
        start(FREE, Free.class, Keyed.class, OutsideTransactions.class).close();
    }

    public static class Retried {

        @Hedge("free")
        @Retryable
        public String find() {
            return "";
        }
    }

    public static class Bare {

        @Hedge
        public String find() {
            return "";
        }
    }

    public static class Keyed {

        @Hedge
        @Idempotent(key = "#id")
        public String pay(String id) {
            return id;
        }
    }

    public static class InTransaction {

        @Hedge
        @Idempotent(key = "#id")
        @Transactional
        public String pay(String id) {
            return id;
        }
    }

    @Transactional
    public static class OutsideTransactions {

        @Hedge
        @Idempotent(key = "#id")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public String pay(String id) {
            return id;
        }

        @Hedge
        @Idempotent(key = "#id")
        @jakarta.transaction.Transactional(jakarta.transaction.Transactional.TxType.NEVER)
        public String payBack(String id) {
            return id;
        }
    }

    public static class Export {

        @Hedge("free")
        public void write(OutputStream out) {}
    }

    public static class Stream {

        @Hedge("free")
        public Flux<String> all() {
            return Flux.empty();
        }
    }

    @Retryable
    public static class Free {

        @Hedge("free")
        @Retryable(enabled = false)
        @Transactional(readOnly = true)
        public String find() {
            return "";
        }
    }
}
