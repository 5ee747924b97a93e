package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.kind.Action;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;

/** The records of beans that share a class, found by the bean or for all of them. */
class RecordsOfLambdasTests {

    @Test
    void areFoundWithTheBeanAndWithout() {
        Applications.plain()
                .withConfiguration(SortedOnce.of(JacksonAutoConfiguration.class))
                .withBean("us", Gateway.class, () -> key -> "us")
                .withBean("eu", Gateway.class, () -> key -> "eu")
                .run(context -> {
                    context.getBean("us", Gateway.class).pay("k");
                    context.getBean("eu", Gateway.class).pay("k");
                    Idempotency idempotency = context.getBean(ResilienceRegistry.class)
                            .idempotencies()
                            .get("default");

                    assertThat(records(idempotency, "Gateway.pay(String)")).hasSize(2);
                    assertThat(records(idempotency, "Gateway.pay(String)@us"))
                            .singleElement()
                            .asString()
                            .contains("method=Gateway.pay(String)@us");
                });
    }

    private static List<?> records(Idempotency idempotency, String method) {
        Object found = new IdempotencyKind()
                .act(idempotency, new Action("look-up", "k", method, null, null))
                .get("records");
        return (List<?>) found;
    }

    interface Gateway {

        @Idempotent(key = "#p0")
        String pay(String key);
    }
}
