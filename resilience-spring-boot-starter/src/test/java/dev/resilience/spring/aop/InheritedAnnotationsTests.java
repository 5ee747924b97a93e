package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class InheritedAnnotationsTests {

    @Nested
    class OfAnInterface {

        @Test
        void onAMethodHoldForItsImplementation() {
            Applications.with(
                    Shop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::onInterface)).isEqualTo(3));
        }

        @Test
        void onAMethodAreReplacedByTheImplementationsOwn() {
            Applications.with(
                    Shop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::onBoth)).isEqualTo(5));
        }

        @Test
        void onTheTypeHoldForItsImplementations() {
            Applications.with(
                    Shop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::onNeither)).isEqualTo(2));
        }

        @Test
        void holdForADefaultMethodThatIsNotOverridden() {
            Applications.with(
                    Shop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::byDefault)).isEqualTo(5));
        }

        @Test
        void holdForABodyThatComesFromASuperclassWhichDoesNotKnowTheInterface() {
            Applications.with(
                    Corner.class,
                    (corner, callee) ->
                            assertThat(callee.attemptsOf(corner::plain)).isEqualTo(5));
        }
    }

    @Nested
    class OfASuperclass {

        @Test
        void holdForAMethodThatIsOverridden() {
            Applications.with(
                    Shop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::overridden)).isEqualTo(4));
        }

        @Test
        void holdForAMethodThatIsInherited() {
            Applications.with(
                    Shop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::inherited)).isEqualTo(4));
        }

        @Test
        void holdForAMethodThatAPublicClassInheritsFromAPackagePrivateOne() {
            Applications.with(
                    PublicShop.class,
                    (shop, callee) ->
                            assertThat(callee.attemptsOf(shop::inherited)).isEqualTo(4));
        }
    }

    @Retryable("two")
    interface Port {

        @Retryable("three")
        String onInterface() throws ConnectException;

        @Retryable("three")
        String onBoth() throws ConnectException;

        String onNeither() throws ConnectException;

        Callee callee();

        @Retryable("five")
        default String byDefault() throws ConnectException {
            return callee().call();
        }
    }

    static class Base {

        @Autowired
        Callee callee;

        @Retryable("four")
        public String overridden() throws ConnectException {
            return callee.call();
        }

        @Retryable("four")
        public String inherited() throws ConnectException {
            return callee.call();
        }

        public String plain() throws ConnectException {
            return callee.call();
        }
    }

    static class Shop extends Base implements Port {

        @Override
        public String onInterface() throws ConnectException {
            return callee.call();
        }

        @Override
        @Retryable("five")
        public String onBoth() throws ConnectException {
            return callee.call();
        }

        @Override
        public String onNeither() throws ConnectException {
            return callee.call();
        }

        @Override
        public Callee callee() {
            return callee;
        }

        @Override
        public String overridden() throws ConnectException {
            return callee.call();
        }
    }

    /** The compiler adds bridges to this class, so that its methods can be called from other packages. */
    public static class PublicShop extends Base {}

    interface PlainPort {

        @Retryable("five")
        String plain() throws ConnectException;
    }

    static class Corner extends Base implements PlainPort {}
}
