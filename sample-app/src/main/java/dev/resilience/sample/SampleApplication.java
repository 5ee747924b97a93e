package dev.resilience.sample;

import dev.resilience.sample.gateway.PaymentGateway;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.service.registry.ImportHttpServices;

/** Starts the shop and, on a port of its own, the payment gateway. */
@SpringBootApplication
@EnableScheduling
@ImportHttpServices(group = "gateway", basePackages = "dev.resilience.sample.shop")
class SampleApplication {

    private static final Logger log = LoggerFactory.getLogger(SampleApplication.class);

    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    /** Not {@code spring.http.serviceclient.gateway.base-url}, because the gateway may listen on any free port. */
    @Bean
    RestClientHttpServiceGroupConfigurer gatewayAddress(PaymentGateway gateway) {
        return groups -> groups.forEachClient((group, client) -> client.baseUrl(gateway.uri()));
    }

    /** The last line of the startup's log. */
    @EventListener
    void sayWhereToLook(ApplicationReadyEvent ready) {
        String port = ready.getApplicationContext().getEnvironment().getProperty("local.server.port");
        log.info("The shop is open: http://localhost:{} (Ctrl-C closes it)", port);
    }
}
