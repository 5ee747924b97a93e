package dev.resilience.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;

/** Starts the shop and, on a port of its own, the payment gateway. */
@SpringBootApplication
class SampleApplication {

    private static final Logger log = LoggerFactory.getLogger(SampleApplication.class);

    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    /** The last line of the startup's log. */
    @EventListener
    void sayWhereToLook(ApplicationReadyEvent ready) {
        String port = ready.getApplicationContext().getEnvironment().getProperty("local.server.port");
        log.info("The shop is open: http://localhost:{} (Ctrl-C closes it)", port);
    }
}
