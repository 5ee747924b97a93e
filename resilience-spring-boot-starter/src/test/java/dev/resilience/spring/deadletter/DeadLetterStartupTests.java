package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.scheduling.annotation.Async;
import reactor.core.publisher.Flux;

/** What is refused and warned of at startup where dead letters are kept. */
class DeadLetterStartupTests {

    static class AnyObject {

        @Retryable("kept")
        public void take(String id, Object anything) {}
    }

    static class Opened {

        @Retryable("kept")
        public void take(InputStream stream) {}
    }

    static class Streaming {

        @Retryable("kept")
        public Flux<String> take(String id) {
            return Flux.just(id);
        }
    }

    static class Moved {

        @Async
        @Retryable("kept")
        public CompletableFuture<String> take(String id) {
            return CompletableFuture.completedFuture(id);
        }
    }

    static class Plain {

        @Retryable("kept")
        public CompletableFuture<String> take(String id) {
            return CompletableFuture.completedFuture(id);
        }
    }

    @Async
    static class MovedByItsType extends Plain {}

    static class Scoped {

        @Retryable("kept")
        public void take(String id) {}
    }

    static class KeyInHeader {

        @Idempotent(header = "Idempotency-Key")
        @Retryable("kept")
        public String take(String id) {
            return id;
        }
    }

    static class MayHaveKeyInHeader {

        @Idempotent(header = "Idempotency-Key", required = false)
        @Retryable("kept")
        public String take(String id) {
            return id;
        }
    }

    static class NotKept {

        @Retryable("two")
        public void take(Object anything) {}
    }

    private static ApplicationContextRunner application(Class<?> component) {
        return Applications.plain(component).withPropertyValues("resilience.retry.kept.dead-letter=true");
    }

    static Stream<Class<?>> refused() {
        return Stream.of(AnyObject.class, Opened.class, Streaming.class, Moved.class, MovedByItsType.class);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void aMethodWhoseCallsCouldNotBeMadeAgainIsRefused(Class<?> component) {
        application(component)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining(component.getName() + ".take(")
                        .hasMessageContaining("keeps dead letters"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"prototype", "request", "session", "websocket", "custom"})
    void aBeanThatIsAnotherObjectForEachCallOrCallerIsRefused(String scope) {
        Applications.plain()
                .withPropertyValues("resilience.retry.kept.dead-letter=true")
                .withBean("scoped", Scoped.class, Scoped::new, definition -> definition.setScope(scope))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining(
                                "keeps dead letters, but the bean 'scoped' has the scope '" + scope + "'"));
    }

    @Test
    void aScopedProxyIsAskedForTheScopeOfItsTarget() {
        Applications.plain(ScopedProxy.class)
                .withPropertyValues("resilience.retry.kept.dead-letter=true")
                .withInitializer(context -> context.getBeanFactory().registerScope("request", new SimpleThreadScope()))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("the bean 'scoped' has the scope 'request'"));
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedProxy {

        @Bean
        @Scope(scopeName = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Scoped scoped() {
            return new Scoped();
        }
    }

    @Test
    void aKeyInAHeaderIsRefusedBecauseNoReplayWouldHaveIt() {
        new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.idempotency.default.scope=none",
                        "resilience.idempotency-store.type=memory")
                .withUserConfiguration(KeyInHeader.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("every replay would be refused")
                        .hasMessageContaining("'Idempotency-Key'"));
    }

    @Test
    void theArgumentIsNamed() {
        application(AnyObject.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("its argument 'anything' could not be read back")
                        .hasMessageContaining("nothing says which class it is"));
    }

    @Test
    void aMethodWhosePolicyKeepsNoneIsLeftAlone() {
        application(NotKept.class).run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource({"replay=auto, AUTO", "replay=manual, MANUAL"})
    void bothKeysAreBoundBesideEachOther(String replay, RetryPolicy.Replay expected) {
        application(NotKept.class)
                .withPropertyValues("resilience.retry.kept.dead-letter." + replay)
                .run(context -> {
                    RetryPolicy policy = context.getBean(ResilienceRegistry.class)
                            .retries()
                            .get("kept")
                            .policy();
                    assertThat(policy.deadLetter()).isTrue();
                    assertThat(policy.deadLetterReplay()).isEqualTo(expected);
                });
    }

    private static void assertWarned(AssertableApplicationContext context, String... parts) {
        assertThat(context.getBean(StartupWarnings.class).all())
                .anySatisfy(warning -> assertThat(warning).contains(parts));
    }

    @Test
    void replayWithoutDeadLettersIsToldToHaveNoEffect() {
        application(NotKept.class)
                .withPropertyValues("resilience.retry.two.dead-letter.replay=auto")
                .run(context -> assertWarned(context, "resilience.retry.two.dead-letter.replay has no effect"));
    }

    @Test
    void aStoreThatWasNotChosenAndForgetsIsToldOf() {
        application(NotKept.class).run(context -> assertWarned(context, "Dead letters are kept in this process only"));
    }

    @Test
    void aReplayWithoutTheKeyOfARequestIsToldOfWhereItIsNotRequired() {
        application(MayHaveKeyInHeader.class)
                .withPropertyValues("resilience.idempotency.default.scope=none")
                .run(context -> assertWarned(
                        context, "MayHaveKeyInHeader.take(", "runs without the protection", "[replay-without-key]"));
    }

    @Test
    void aDatabaseThatIsNotThereIsRefused() {
        application(NotKept.class)
                .withPropertyValues("resilience.dead-letter-store.type=jdbc")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("resilience.dead-letter-store.type")
                        .hasMessageContaining("needs a DataSource bean"));
    }

    @Test
    void aStoreOfTheApplicationsOwnReplacesTheLibrarys() {
        MemoryDeadLetterStore own = new MemoryDeadLetterStore(new ManualTimeSource());
        application(NotKept.class)
                .withBean(DeadLetterStore.class, () -> own)
                .run(context ->
                        assertThat(context.getBean(DeadLetterStore.class)).isSameAs(own));
    }
}
