package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;

/** Beans behind proxies of their interfaces, with {@code spring.aop.proxy-target-class: false}. */
class InterfaceProxiesTests {

    @Test
    void protectWhatTheInterfaceDeclares() {
        runner(Shop.class).run(context -> {
            Port port = context.getBean(Port.class);

            assertThat(Proxy.isProxyClass(port.getClass())).isTrue();
            assertThat(context.getBean(Callee.class).attemptsOf(port::sell)).isEqualTo(3);
        });
    }

    @Test
    void protectFinalClassesAndRecords() {
        runner(FinalShop.class).run(context -> {
            Port port = context.getBean(Port.class);
            assertThat(context.getBean(Callee.class).attemptsOf(port::sell)).isEqualTo(3);
        });
        runner(RecordShop.class).run(context -> {
            Port port = context.getBean(Port.class);
            assertThat(context.getBean(Callee.class).attemptsOf(port::sell)).isEqualTo(3);
        });
    }

    @Test
    void cannotProtectAMethodThatNoInterfaceDeclares() {
        runner(ShopWithMore.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining(ShopWithMore.class.getName() + ".buy()")
                        .hasMessageContaining("in none of the interfaces"));
    }

    @Test
    void areNotMadeForClassesWithoutAnInterface() {
        runner(ShopAlone.class).run(context -> {
            ShopAlone shop = context.getBean(ShopAlone.class);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::sell)).isEqualTo(3);
        });
    }

    /** Whatever the application chose for its other beans. */
    @Test
    void areMadeForABeanThatAsksForThem() {
        Applications.plain(AskingShop.class).run(context -> {
            Port port = context.getBean(Port.class);
            assertThat(Proxy.isProxyClass(port.getClass())).isTrue();
            assertThat(context.getBean(Callee.class).attemptsOf(port::sell)).isEqualTo(3);
        });
        runner(DecliningShop.class).run(context -> {
            DecliningShop shop = context.getBean(DecliningShop.class);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::buy)).isEqualTo(3);
        });
    }

    private ApplicationContextRunner runner(Class<?> component) {
        return Applications.plain(component).withPropertyValues("spring.aop.proxy-target-class=false");
    }

    interface Port {

        String sell() throws ConnectException;
    }

    static class Shop implements Port {

        @Autowired
        Callee callee;

        @Override
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    static final class FinalShop implements Port {

        @Autowired
        Callee callee;

        @Override
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    @Proxyable(ProxyType.INTERFACES)
    static final class AskingShop implements Port {

        @Autowired
        Callee callee;

        @Override
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    @Proxyable(ProxyType.TARGET_CLASS)
    static class DecliningShop extends Shop {

        @Retryable("three")
        public String buy() throws ConnectException {
            return callee.call();
        }
    }

    record RecordShop(Callee callee) implements Port {

        @Override
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    static class ShopWithMore extends Shop {

        @Retryable("three")
        public String buy() throws ConnectException {
            return callee.call();
        }
    }

    static class ShopAlone implements InitializingBean {

        @Autowired
        Callee callee;

        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }

        @Override
        public void afterPropertiesSet() {
            assertThat(callee).isNotNull();
        }
    }
}
