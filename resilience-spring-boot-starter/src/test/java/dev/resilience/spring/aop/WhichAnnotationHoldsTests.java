package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.desk.FarDesk;
import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.weaving.ResilienceAspect;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class WhichAnnotationHoldsTests {

    @Test
    void thoseOfTheLibraryAreThoseOfItsKinds() {
        Applications.plain(Shop.class)
                .run(context -> assertThat(context.getBean(Kinds.class).annotations())
                        .containsExactlyInAnyOrderElementsOf(ResilienceAspect.ANNOTATIONS));
    }

    @Test
    void theMethodsAnnotationReplacesTheTypes() {
        Applications.with(Shop.class, (shop, callee) -> {
            assertThat(callee.attemptsOf(shop::asTheType)).isEqualTo(2);
            assertThat(callee.attemptsOf(shop::asTheMethod)).isEqualTo(4);
        });
    }

    @Test
    void anAnnotationOfAnotherKindOnTheMethodLeavesTheTypesInForce() {
        Applications.plain(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(context.getBean(Callee.class).attemptsOf(shop::withBulkhead))
                    .isEqualTo(2);
            assertThat(context.getBean(LiveRegistry.class).usedBy("bulkhead", "default"))
                    .containsExactly("Shop.withBulkhead()");
        });
    }

    @Test
    void theTypesAnnotationHoldsForProtectedAndPackagePrivateMethodsToo() {
        Applications.with(Shop.class, (shop, callee) -> {
            assertThat(callee.attemptsOf(shop::packagePrivate)).isEqualTo(2);
            assertThat(callee.attemptsOf(shop::withinSubclasses)).isEqualTo(2);
        });
    }

    @Test
    void theTypesAnnotationHoldsForNoMethodThatAProxyCannotSee() {
        Applications.plain(Unseen.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "two"))
                    .containsExactlyInAnyOrder("Unseen.seen()", "Unseen.forSubclasses(String)");
        });
        Applications.plain(OfPort.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "two"))
                            .containsExactly("OfPort.sell()");
                });
    }

    @Test
    void theTypesAnnotationLeavesTheMethodsOfObjectAlone() {
        Applications.plain(DataShop.class).run(context -> {
            context.getBean(ResilienceRegistry.class)
                    .circuitBreakers()
                    .get("default")
                    .forceOpen();

            assertThat(context.getBean(DataShop.class)).hasToString("a shop");
            assertThat(context.getBean(LiveRegistry.class).usedBy("circuit-breaker", "default"))
                    .containsExactly("DataShop.sell()");
        });
    }

    @Test
    void theMethodsAnnotationHoldsForProtectedAndPackagePrivateMethodsToo() {
        Applications.with(Shop.class, (shop, callee) -> {
            assertThat(callee.attemptsOf(shop::annotatedPackagePrivate)).isEqualTo(3);
            assertThat(callee.attemptsOf(shop::annotatedWithinSubclasses)).isEqualTo(3);
        });
    }

    @Test
    void theTypesAnnotationHoldsForMethodsThatTheClassInherits() {
        Applications.with(
                Branch.class,
                (branch, callee) ->
                        assertThat(callee.attemptsOf(branch::ofTheChain)).isEqualTo(4));
    }

    @Test
    void theSubclassesOwnTypeAnnotationReplacesTheSuperclasses() {
        Applications.with(
                OtherShop.class,
                (shop, callee) -> assertThat(callee.attemptsOf(shop::asTheType)).isEqualTo(5));
    }

    @Retryable("two")
    static class Shop {

        @Autowired
        Callee callee;

        public String asTheType() throws ConnectException {
            return callee.call();
        }

        @Retryable("four")
        public String asTheMethod() throws ConnectException {
            return callee.call();
        }

        @Bulkhead("default")
        public String withBulkhead() throws ConnectException {
            return callee.call();
        }

        String packagePrivate() throws ConnectException {
            return callee.call();
        }

        protected String withinSubclasses() throws ConnectException {
            return callee.call();
        }

        @Retryable("three")
        String annotatedPackagePrivate() throws ConnectException {
            return callee.call();
        }

        @Retryable("three")
        protected String annotatedWithinSubclasses() throws ConnectException {
            return callee.call();
        }
    }

    @Retryable("five")
    static class OtherShop extends Shop {}

    static class Chain {

        @Autowired
        Callee callee;

        public String ofTheChain() throws ConnectException {
            return callee.call();
        }
    }

    @Retryable("four")
    static class Branch extends Chain {}

    @CircuitBreaker("default")
    static class DataShop {

        public String sell() {
            return "sold";
        }

        @Override
        public final boolean equals(Object other) {
            return other instanceof DataShop;
        }

        @Override
        public final int hashCode() {
            return 1;
        }

        @Override
        public String toString() {
            return "a shop";
        }
    }

    @Retryable("two")
    static class Unseen extends FarDesk {

        void seen() {
            unseen();
        }

        private void unseen() {}

        final void lastWord() {}

        static void ofNoObject() {}

        @Override
        protected Object clone() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    interface Port {

        String sell();
    }

    @Retryable("two")
    static class OfPort implements Port {

        @Override
        public String sell() {
            return helper() + more();
        }

        String helper() {
            return "";
        }

        public String more() {
            return "";
        }
    }
}
