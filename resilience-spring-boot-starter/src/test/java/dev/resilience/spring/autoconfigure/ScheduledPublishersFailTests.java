package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import io.reactivex.rxjava3.core.Completable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Spring calls a scheduled method that returns a publisher at startup, and keeps the message of what it throws alone. */
class ScheduledPublishersFailTests extends FailingStartup {

    @Test
    void theProblemsAreShownAsElsewhere() {
        for (Class<?> scheduled : new Class<?>[] {OfMono.class, OfFlux.class, OfCompletable.class}) {
            Printed printed = fail("resilience.retry.payments.max-atempts: 5", Scheduling.class, scheduled)
                    .says("There are 2 problems", "A key under 'resilience' is not known")
                    .blames(scheduled, "work()")
                    .advises("Did you mean 'max-attempts'?", "Did you mean 'payments'?");
            assertThat(printed.description()).doesNotContain("recurring task");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class OfMono {

        @Scheduled(fixedDelay = 3_600_000)
        @Retryable("payment")
        public Mono<Void> work() {
            return Mono.empty();
        }
    }

    static class OfFlux {

        @Scheduled(fixedDelay = 3_600_000)
        @Retryable("payment")
        public Flux<String> work() {
            return Flux.empty();
        }
    }

    static class OfCompletable {

        @Scheduled(fixedDelay = 3_600_000)
        @Retryable("payment")
        public Completable work() {
            return Completable.complete();
        }
    }
}
