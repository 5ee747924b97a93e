package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.annotation.AliasFor;

class MetaAnnotationsTests {

    @Test
    void oneAnnotationStandsForAllThatItCarries() {
        Applications.plain(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(context.getBean(Callee.class).attemptsOf(shop::sell)).isEqualTo(4);
            assertThat(context.getBean(LiveRegistry.class).usedBy("bulkhead", "default"))
                    .containsExactly("Shop.sell()");
        });
    }

    @Test
    void anAliasPassesThePolicyNameOn() {
        Applications.with(
                Shop.class,
                (shop, callee) -> assertThat(callee.attemptsOf(shop::sellTo)).isEqualTo(5));
    }

    @Test
    void onAClassItHoldsLikeTheAnnotationsItself() {
        Applications.with(
                ProtectedShop.class,
                (shop, callee) -> assertThat(callee.attemptsOf(shop::sell)).isEqualTo(4));
    }

    @Test
    void onTheClassesMethodItIsCloserThanAnAnnotationOnTheInterfacesMethod() {
        Applications.with(
                PortShop.class,
                (shop, callee) -> assertThat(callee.attemptsOf(shop::sell)).isEqualTo(4));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retryable("four")
    @Bulkhead("default")
    @interface Protected {}

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @Retryable("two")
    @interface TriedAgain {

        @AliasFor(annotation = Retryable.class, attribute = "value")
        String by();
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Protected
        public String sell() throws ConnectException {
            return callee.call();
        }

        @TriedAgain(by = "five")
        public String sellTo() throws ConnectException {
            return callee.call();
        }
    }

    @Protected
    static class ProtectedShop {

        @Autowired
        Callee callee;

        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    interface Port {

        @Retryable("two")
        String sell() throws ConnectException;
    }

    static class PortShop implements Port {

        @Autowired
        Callee callee;

        @Protected
        @Override
        public String sell() throws ConnectException {
            return callee.call();
        }
    }
}
