package dev.resilience.spring.autoconfigure.preinitialize;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Makes policies, live objects, plans and meters that are thrown away, while the application reads its configuration: on a
 * machine with another core the classes are loaded by the time the application needs them. {@code
 * spring.backgroundpreinitializer.ignore=true} switches it off, as all of Boot's.
 *
 * <p>This class needs no other one to be made: Spring Boot makes it on the main thread, and waits for ever if that fails. What
 * fails later it passes over.
 */
final class ResilienceBackgroundPreinitializer implements BackgroundPreinitializer {

    @Override
    public void preinitialize() {
        SampleObjects.make();
    }
}
