package dev.resilience.spring.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.spring.Applications;
import dev.resilience.spring.bulkhead.BulkheadKind;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A change for a time ends with its application, which its timer would keep in memory for up to 30 days. */
class TemporaryChangesEndTests {

    @Test
    void nothingGoesBackOnceTheApplicationHasEnded() {
        Applications.plain()
                .withPropertyValues("resilience.bulkhead.orders.max-concurrent=7")
                .run(context -> {
                    DefaultResilienceRegistry registry = context.getBean(DefaultResilienceRegistry.class);
                    ManualTimeSource time = context.getBean(ManualTimeSource.class);
                    Bulkhead orders = registry.get(Bulkhead.class, "orders");
                    BulkheadKind kind = registry.kinds().get(BulkheadKind.class);
                    registry.changes()
                            .change(kind, orders, Map.of("max-concurrent", 3), Duration.ofMinutes(10), "endpoint");

                    registry.close();
                    time.advance(Duration.ofMinutes(10));

                    assertThat(orders.policy().maxConcurrent()).isEqualTo(3);
                });
    }
}
