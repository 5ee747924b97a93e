package dev.resilience.spring.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.StartupWarnings;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarningsOfFallbacksTests {

    private static final String INSIDE =
            "resilience.order=idempotent,bulkhead,circuit-breaker,retry,fallback,time-limit";

    @Test
    void aFallbackInsideOfWhatItLeavesNoFailure() {
        assertThat(warningsOf(Eager.class, INSIDE))
                .anySatisfy(warning -> assertThat(warning)
                        .contains(
                                Eager.class.getName() + ".sell()",
                                "inside its @Retryable",
                                "[layer-without-effect]",
                                "Put 'fallback' before 'retry' in 'resilience.order'"))
                .anySatisfy(warning ->
                        assertThat(warning).contains("inside its @CircuitBreaker", "before 'circuit-breaker'"))
                .hasSize(2);
    }

    @Test
    void noneWhereTheFallbackStandsOutside() {
        assertThat(warningsOf(Eager.class)).isEmpty();
    }

    @Test
    void noneWhereTheFallbackAnswersForSomeExceptionsOnly() {
        assertThat(warningsOf(Choosy.class, INSIDE)).isEmpty();
    }

    @Test
    void annotationsOfAFallbackMethodThatIsCalledInsideOfItsBean() {
        assertThat(warningsOf(Protected.class))
                .singleElement()
                .asString()
                .contains(
                        Protected.class.getName() + ".later()",
                        "@Retryable, which does nothing when it answers for Protected.sell()",
                        "[annotation-on-fallback]",
                        "@Fallback(\"bean::later\")");
    }

    private static List<String> warningsOf(Class<?> bean, String... properties) {
        List<String> warnings = new ArrayList<>();
        Applications.plain(bean).withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    static class Eager {

        @Retryable("two")
        @CircuitBreaker("default")
        @Fallback("later")
        public String sell() {
            return "";
        }

        String later(Exception failure) {
            return "";
        }
    }

    static class Choosy {

        @Retryable("two")
        @Fallback(value = "later", on = ConnectException.class)
        public String sell() {
            return "";
        }

        @Retryable("two")
        @Fallback(value = "later", except = ConnectException.class)
        public String order() {
            return "";
        }

        @Retryable("two")
        @Fallback("refused")
        public String look() {
            return "";
        }

        String later() {
            return "";
        }

        String refused(ConnectException failure) {
            return "";
        }
    }

    static class Protected {

        @Fallback("later")
        public String sell() {
            return "";
        }

        @Retryable("two")
        public String later() {
            return "";
        }
    }
}
