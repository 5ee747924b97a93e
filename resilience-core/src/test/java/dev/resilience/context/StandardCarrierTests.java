package dev.resilience.context;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class StandardCarrierTests {

    private final ContextCarrier carrier = new StandardCarrier();
    private final Runnable task = new Runnable() {
        @Override
        public void run() {
            assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
        }
    };

    @AfterEach
    void clear() {
        MDC.clear();
    }

    @Test
    void callsWithoutAnMdcShareWhatIsMadeOfTheirTask() {
        Runnable first = carrier.wrap(task);

        assertThat(carrier.wrap(task)).isSameAs(first);
        assertThat(carrier.wrap(() -> assertThat(task).isNotNull())).isNotSameAs(first);
        assertThat(carrier.wrap(task)).isSameAs(first);
    }

    @Test
    void anMdcIsTheCallsOwn() {
        Runnable first = carrier.wrap(task);
        MDC.put("order", "1");

        assertThat(carrier.wrap(task)).isNotSameAs(first);
    }

    @Test
    void aClassLoaderIsTheCallsOwn() {
        Runnable first = carrier.wrap(task);

        ContextClassLoader.with(null, () -> assertThat(carrier.wrap(task)).isNotSameAs(first));
    }

    @Test
    void aTaskFindsNoMdcOfTheThreadThatItRunsOn() {
        Runnable wrapped = carrier.wrap(task);
        MDC.put("order", "1");

        wrapped.run();

        assertThat(MDC.get("order")).isEqualTo("1");
    }
}
