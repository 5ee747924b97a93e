package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.spring.Applications;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Letters of beans that are made when the application has started, and whose class shows only then. */
class LateBeansTests {

    interface Carrier {

        void announce(String order) throws Exception;
    }

    static class Http implements Carrier {

        @Override
        @Retryable("kept")
        public void announce(String order) throws Exception {
            throw new ConnectException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Lazy
    static class Carriers {

        @Bean
        Carrier one() {
            return new Http();
        }

        @Bean
        Carrier two() {
            return new Http();
        }
    }

    private static ApplicationContextRunner carriers() {
        return Applications.plain(Carriers.class)
                .withPropertyValues(
                        "resilience.retry.kept.max-attempts=1",
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.dead-letter-store.type=memory");
    }

    @Test
    void theSecondBeanOfAClassThatIsMadeLaterThanTheFirstCallIsKnown() {
        carriers().run(context -> {
            for (String name : new String[] {"one", "two"}) {
                assertThat(catchThrowable(
                                () -> context.getBean(name, Carrier.class).announce("A")))
                        .isInstanceOf(ConnectException.class);
            }

            assertThat(context.getBean(DeadLetterStore.class).list("kept", 10))
                    .extracting(StoredLetter::letter)
                    .extracting(letter -> letter.bean())
                    .containsExactlyInAnyOrder("one", "two");
        });
    }
}
