package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.BackoffFunction;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.stereotype.Component;

/** What a native image is told, which finds nothing by reflection that it was not told of. */
class NativeHintsTests {

    private static RuntimeHints hints;

    @BeforeAll
    static void process() {
        hints = hintsOf();
    }

    private static RuntimeHints hintsOf(String... properties) {
        TestGenerationContext generated = new TestGenerationContext();
        AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(properties).applyTo(application);
        application.register(Application.class);
        new ApplicationContextAotGenerator().processAheadOfTime(application, generated);
        return generated.getRuntimeHints();
    }

    private static void assertTold(Predicate<RuntimeHints> hint) {
        assertThat(hints).matches(hint);
    }

    @Test
    void theAttributesOfAnnotations() {
        for (Class<?> annotation : List.of(Retryable.class, TimeLimit.class, Idempotent.class)) {
            assertTold(reflection().onType(annotation).withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS));
        }
    }

    @Test
    void fallbackMethods() {
        assertTold(reflection().onMethodInvocation(AnyShop.class, "closed"));
        assertTold(reflection().onMethodInvocation(Backup.class, "closed"));
    }

    @Test
    void functionsThatPoliciesName() {
        assertTold(proxies().forInterfaces(Predicate.class));
        assertTold(proxies().forInterfaces(BackoffFunction.class));
    }

    @Test
    void propertiesThatAreBoundWithoutABean() {
        assertTold(reflection()
                .onType(TypeReference.of("dev.resilience.spring.properties.ResilienceProperties$IdempotencyStore$Jdbc"))
                .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS));
        for (Class<?> policy : List.of(RetryPolicy.class, Backoff.class, CircuitBreakerPolicy.Window.class)) {
            assertTold(reflection().onConstructorInvocation(policy.getDeclaredConstructors()[0]));
            assertTold(reflection().onType(policy).withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS));
        }
    }

    @Test
    void annotationsThatAreSynthesized() {
        assertTold(proxies().forInterfaces(Idempotent.class));
    }

    @Test
    void everyLuaScript() throws IOException {
        Resource[] scripts = new PathMatchingResourcePatternResolver()
                .getResources("classpath*:dev/resilience/spring/idempotency/redis/*.lua");
        assertThat(scripts).isNotEmpty();
        for (Resource script : scripts) {
            assertTold(resource().forResource("dev/resilience/spring/idempotency/redis/" + script.getFilename()));
        }
    }

    @Test
    void nothingOfMethodsWhereResilienceIsSwitchedOff() {
        assertThat(hintsOf("resilience.enabled=false"))
                .matches(
                        reflection().onMethodInvocation(AnyShop.class, "closed").negate());
    }

    record Other(String text) {}

    static class AnyShop {

        Other closed(String what) {
            return new Other(what);
        }
    }

    @Component("backup")
    static class Backup {

        Other closed(String what) {
            return new Other(what);
        }
    }

    static class Shop extends AnyShop {

        @Fallback("backup::closed")
        Other lookElsewhere(String what) {
            return new Other(what);
        }

        @Fallback("closed")
        Other look(String what) {
            return new Other(what);
        }
    }

    @ImportAutoConfiguration({AopAutoConfiguration.class, ResilienceAutoConfiguration.class})
    @Import({Shop.class, Backup.class})
    static class Application {}
}
