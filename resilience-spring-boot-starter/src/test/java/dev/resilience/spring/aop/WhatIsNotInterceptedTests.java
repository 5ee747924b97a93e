package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;

/** The known limits of proxies. */
class WhatIsNotInterceptedTests {

    @Test
    void aCallWithinTheObjectDoesNotPassThroughTheProxy() {
        Applications.with(
                Shop.class,
                (shop, callee) -> assertThat(callee.attemptsOf(shop::sellTwo)).isEqualTo(1));
    }

    @Test
    void anObjectThatSpringDidNotMakeIsNotProtected() {
        Applications.with(Shop.class, (shop, callee) -> {
            Shop ownShop = new Shop();
            ownShop.callee = callee;
            assertThat(callee.attemptsOf(ownShop::sell)).isEqualTo(1);
        });
    }

    @Test
    void aBeanWithoutAnnotationsHasNoProxy() {
        Applications.with(
                PlainShop.class,
                (shop, callee) -> assertThat(AopUtils.isAopProxy(shop)).isFalse());
    }

    @Test
    void nothingIsInterceptedWhereTheLibraryIsSwitchedOff() {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.enabled=false")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    assertThat(AopUtils.isAopProxy(shop)).isFalse();
                    assertThat(context.getBean(Callee.class).attemptsOf(shop::sell))
                            .isEqualTo(1);
                });
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("two")
        public String sell() throws ConnectException {
            return callee.call();
        }

        public String sellTwo() throws ConnectException {
            return sell() + ", " + sell();
        }
    }

    static class PlainShop {

        public String sell() {
            return "sold";
        }
    }
}
