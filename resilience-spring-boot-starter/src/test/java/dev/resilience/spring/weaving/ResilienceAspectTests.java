package dev.resilience.spring.weaving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import org.aspectj.weaver.tools.PointcutExpression;
import org.aspectj.weaver.tools.PointcutParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which methods the aspect is for is asked of reflection: AspectJ has to give the same answer. */
class ResilienceAspectTests {

    private static final PointcutExpression OF_ASPECTJ =
            PointcutParser.getPointcutParserSupportingAllPrimitivesAndUsingSpecifiedClassloaderForResolution(
                            ResilienceAspectTests.class.getClassLoader())
                    .parsePointcutExpression("execution(@dev.resilience.annotation.Retryable !static * *(..)) "
                            + "|| execution(public !static * (@dev.resilience.annotation.Retryable *).*(..))");

    @ParameterizedTest
    @ValueSource(strings = {"ofTheInterface", "annotatedInTheInterface", "ofTheClassAlone", "annotated", "inherited"})
    void theAspectIsForTheMethodsThatAspectJMatches(String name) throws NoSuchMethodException {
        for (Class<?> type : new Class<?>[] {Shop.class, Stock.class, Sale.class}) {
            if (name.equals("inherited") == (type == Sale.class)) {
                assertThat(ResilienceAspect.isFor(type.getMethod(name)))
                        .isEqualTo(OF_ASPECTJ
                                .matchesMethodExecution(type.getMethod(name))
                                .alwaysMatches());
            }
        }
    }

    @Retryable
    interface OnTheType {

        void ofTheInterface();
    }

    interface OnTheMethod {

        @Retryable
        void annotatedInTheInterface();
    }

    static class Shop implements OnTheType, OnTheMethod {

        @Override
        public void ofTheInterface() {}

        @Override
        public void annotatedInTheInterface() {}

        public void ofTheClassAlone() {}

        @Retryable
        public void annotated() {}
    }

    @Retryable
    static class Stock implements OnTheType, OnTheMethod {

        @Override
        public void ofTheInterface() {}

        @Override
        public void annotatedInTheInterface() {}

        public void ofTheClassAlone() {}

        public void annotated() {}

        public void inherited() {}
    }

    static class Sale extends Stock {

        @Override
        public void inherited() {}
    }
}
