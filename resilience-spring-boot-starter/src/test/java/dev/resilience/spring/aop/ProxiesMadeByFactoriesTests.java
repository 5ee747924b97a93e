package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans that are proxies of an annotated interface before they get ours, as HTTP interface clients are. */
class ProxiesMadeByFactoriesTests {

    @Test
    void areProtected() {
        Applications.plain(ClientFactory.class).run(context -> {
            Client client = context.getBean(Client.class);
            assertThat(context.getBean(Callee.class).attemptsOf(client::fetch)).isEqualTo(4);
        });
    }

    @Test
    void bearTheNameOfTheirInterface() {
        Applications.plain(ClientFactory.class).run(context -> {
            LiveRegistry registry = context.getBean(LiveRegistry.class);
            Client client = context.getBean(Client.class);

            assertThat(client.fetch()).isEqualTo("answer 1");
            assertThat(registry.usedBy("retry", "four")).containsExactly("Client.fetch()");
        });
    }

    @Test
    void thatNobodyHasAskedForYetAreCheckedAtTheStart() {
        Applications.plain(BrokenClientFactory.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining("BrokenClient.fetch()")
                        .hasMessageContaining("'missing'"));
    }

    @Test
    void mayHaveADefaultMethodAsTheirFallback() {
        Applications.plain(ClientFactory.class).run(context -> {
            context.getBean(Callee.class).failNext(1);
            assertThat(context.getBean(Client.class).look()).isEqualTo("nothing to see");
        });
    }

    @Test
    void byAFactoryThatIsNoSpringBeanAreProtectedToo() {
        Applications.plain(Clients.class).run(context -> {
            Client client = context.getBean(Client.class);
            assertThat(context.getBean(Callee.class).attemptsOf(client::fetch)).isEqualTo(4);
        });
    }

    interface Client {

        @Retryable("four")
        String fetch() throws ConnectException;

        @Fallback("darkness")
        String look() throws ConnectException;

        default String darkness() {
            return "nothing to see";
        }
    }

    /** As the HTTP interface clients of Spring are made. */
    static class ClientFactory implements FactoryBean<Client> {

        @Autowired
        Callee callee;

        @Override
        public Client getObject() {
            MethodInterceptor interceptor = invocation -> invocation.getMethod().isDefault()
                    ? InvocationHandler.invokeDefault(
                            ((ProxyMethodInvocation) invocation).getProxy(), invocation.getMethod())
                    : callee.call();
            return ProxyFactory.getProxy(Client.class, interceptor);
        }

        @Override
        public Class<?> getObjectType() {
            return Client.class;
        }
    }

    interface BrokenClient {

        @Retryable("missing")
        String fetch();
    }

    static class BrokenClientFactory implements FactoryBean<BrokenClient> {

        @Override
        public BrokenClient getObject() {
            MethodInterceptor interceptor = invocation -> "fetched";
            return ProxyFactory.getProxy(BrokenClient.class, interceptor);
        }

        @Override
        public Class<?> getObjectType() {
            return BrokenClient.class;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Clients {

        @Bean
        Client client(Callee callee) {
            return (Client) Proxy.newProxyInstance(
                    Client.class.getClassLoader(),
                    new Class<?>[] {Client.class},
                    (self, method, arguments) -> switch (method.getName()) {
                        case "fetch" -> callee.call();
                        case "hashCode" -> System.identityHashCode(self);
                        case "equals" -> self == arguments[0];
                        default -> "client";
                    });
        }
    }
}
