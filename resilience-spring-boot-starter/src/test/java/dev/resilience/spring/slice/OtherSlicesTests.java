package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.Callee;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;

/** A slice that the library does not know, such as one for another database, needs one import. */
@SpringBootTest(
        classes = {JsonSliceTests.Prices.class, Callee.class, ManualTimeSource.class},
        properties = "resilience.retry.slice.max-attempts=3")
@OverrideAutoConfiguration(enabled = false)
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
class OtherSlicesTests {

    @Test
    void oneImportProtectsItsBeans(@Autowired JsonSliceTests.Prices prices, @Autowired Callee callee) throws Exception {
        callee.failNext(2);

        JsonSliceTests.Price price = prices.of("tea");

        assertThat(price.source()).isEqualTo("answer 3");
        assertThat(prices.of("tea")).isEqualTo(price);
    }
}
