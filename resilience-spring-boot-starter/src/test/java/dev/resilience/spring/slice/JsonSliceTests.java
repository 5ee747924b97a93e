package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.json.JacksonTester;
import org.springframework.context.annotation.Import;

@JsonTest(properties = "resilience.retry.slice.max-attempts=3")
@Import({JsonSliceTests.Prices.class, Callee.class, ManualTimeSource.class})
class JsonSliceTests {

    @Autowired
    JacksonTester<Price> json;

    @Autowired
    Prices prices;

    @Autowired
    Callee callee;

    @Test
    void importedServicesAreProtected() throws Exception {
        callee.failNext(2);

        Price price = prices.of("tea");

        assertThat(json.write(price)).isEqualToJson("{\"article\": \"tea\", \"source\": \"answer 3\"}");
        assertThat(prices.of("tea")).isEqualTo(price);
    }

    record Price(String article, String source) {}

    static class Prices {

        private final Callee callee;

        Prices(Callee callee) {
            this.callee = callee;
        }

        @Idempotent(key = "#article")
        @Retryable("slice")
        Price of(String article) throws ConnectException {
            return new Price(article, callee.call());
        }
    }
}
