package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Protected methods that are called while the application starts. */
class EarlyCallsTests {

    private static ApplicationContextRunner application(Class<?>... components) {
        return Applications.plain(components).withConfiguration(SortedOnce.of(ObservationAutoConfiguration.class));
    }

    private static void assertHandled(ApplicationContextRunner application) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            Observation.start("own", context.getBean(ObservationRegistry.class)).stop();
            assertThat(context.getBean(Handler.class).handled).contains("own");
        });
    }

    /** Such as one that fetches a token for its exporter. */
    @Test
    void aHandlerMayCallAProtectedMethodWhenItIsMade() {
        assertHandled(application(Tokens.class, HandlerWithToken.class));
    }

    /** The registry would be without its handlers for good, because the post-processor that adds them is not there yet. */
    @Test
    void aPostProcessorThatCallsAProtectedMethodDoesNotTakeTheHandlersAway() {
        assertHandled(application(Tokens.class, Handler.class, PostProcessor.class));
    }

    @Test
    void aMethodThatABeanCallsWhenItIsMadeIsObserved() {
        application(Tokens.class, Handler.class, Client.class)
                .run(context ->
                        assertThat(context.getBean(Handler.class).handled).containsExactly("resilience.call"));
    }

    static class Tokens {

        @Retryable("two")
        public String fetch() {
            return "token";
        }
    }

    static class Client {

        Client(Tokens tokens) {
            tokens.fetch();
        }
    }

    static class PostProcessor implements BeanPostProcessor {

        PostProcessor(Tokens tokens) {
            tokens.fetch();
        }
    }

    static class Handler implements ObservationHandler<Observation.Context> {

        final List<String> handled = new CopyOnWriteArrayList<>();

        @Override
        public void onStop(Observation.Context context) {
            handled.add(context.getName());
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    static class HandlerWithToken extends Handler {

        HandlerWithToken(Tokens tokens) {
            tokens.fetch();
        }
    }
}
