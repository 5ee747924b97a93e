package dev.resilience.sample;

import dev.resilience.time.ManualTimeSource;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Starts the whole application on free ports. The policies' time is in the test's hands; the gateway's and the
 * database's is real, so the HTTP client and the locks are patient.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "shop.gateway.port=0",
            "spring.http.clients.read-timeout=1m",
            "spring.datasource.hikari.connection-init-sql=SET LOCK_TIMEOUT 60000"
        })
@Import(ShopTest.Time.class)
@interface ShopTest {

    @TestConfiguration(proxyBeanMethods = false)
    class Time {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource();
        }
    }
}
