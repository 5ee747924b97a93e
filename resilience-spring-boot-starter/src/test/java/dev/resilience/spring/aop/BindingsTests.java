package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.keyvalue.repository.KeyValueRepository;
import org.springframework.data.map.repository.config.EnableMapRepositories;
import org.springframework.data.repository.NoRepositoryBean;

/** Beans without annotations that {@code resilience.bindings} protects. */
class BindingsTests {

    private static final String HERE = "dev.resilience.spring.aop.BindingsTests.";

    private static ApplicationContextRunner bound(String pointcut, Class<?>... components) {
        return Applications.plain(components)
                .withPropertyValues(
                        "resilience.bindings[0].pointcut=" + pointcut.replace("#", HERE),
                        "resilience.bindings[0].retry=four");
    }

    private static ContextConsumer<AssertableApplicationContext> fourAttemptsOf(Class<? extends Client> type) {
        return context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(type)::fetch))
                    .as(context.getEnvironment().getProperty("resilience.bindings[0].pointcut"))
                    .isEqualTo(4);
        };
    }

    @Test
    void aClassIsProtected() {
        bound("execution(* #Service.fetch(..))", Service.class).run(fourAttemptsOf(Service.class));
        bound("execution(* #Client.*(..))", Service.class).run(fourAttemptsOf(Service.class));
        bound("within(#Service)", Service.class).run(fourAttemptsOf(Service.class));
        bound("target(#Client)", Service.class).run(fourAttemptsOf(Service.class));
        bound("this(#Client)", Service.class).run(fourAttemptsOf(Service.class));
        bound("execution(* *..Service.*(..)) and !execution(* look(..))", Service.class)
                .run(fourAttemptsOf(Service.class));
    }

    @Test
    void aProxyThatAFactoryMakesIsProtectedLikeAFeignClient() {
        bound("execution(* #Client.*(..))", FeignFactory.class).run(fourAttemptsOf(Client.class));
        bound("within(#Client)", FeignFactory.class).run(fourAttemptsOf(Client.class));
        bound("target(#Client)", FeignFactory.class).run(fourAttemptsOf(Client.class));
        bound("this(#Client)", FeignFactory.class).run(fourAttemptsOf(Client.class));
        bound("execution(* dev.resilience..*Client.fetch())", FeignFactory.class)
                .run(fourAttemptsOf(Client.class));
        bound("@within(#Remote)", FeignFactory.class).run(fourAttemptsOf(Client.class));
        bound("@annotation(#Remote)", FeignFactory.class).run(fourAttemptsOf(Client.class));
    }

    @Test
    void aProxyOfTheApplicationsInFrontOfAFinalClassIsProtected() {
        bound("execution(* #Client.*(..))", OwnProxies.class).run(context -> {
            assertThat(context).hasNotFailed();
            Callee callee = context.getBean(Callee.class);
            for (Client client : context.getBeansOfType(Client.class).values()) {
                assertThat(callee.attemptsOf(client::fetch)).isEqualTo(4);
            }
        });
    }

    @Test
    void aLambdaIsProtected() {
        bound("execution(* #Client.*(..))", LambdaClient.class).run(fourAttemptsOf(Client.class));
        bound("execution(* java.util.concurrent.Callable.call())", LambdaCallable.class)
                .run(context -> assertThat(context.getBean(Callee.class)
                                .attemptsOf(
                                        () -> context.getBean(Callable.class).call()))
                        .isEqualTo(4));
        bound("execution(* *(..)) && !within(*..Callee)", LambdaCallable.class)
                .run(context -> assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "four"))
                        .doesNotContain("Callable.call()"));
    }

    @Test
    void aRepositoryOfSpringDataIsProtectedWithTheMethodsThatItInherits() {
        for (String pointcut : List.of(
                "execution(* #Items.*(..))",
                "execution(* #Base+.*(..))",
                "execution(* #*Items.*(..))",
                "target(#Items)",
                "execution(* org.springframework.data.repository.Repository+.*(..))",
                "target(org.springframework.data.repository.Repository)")) {
            bound(pointcut, DataConfiguration.class).run(context -> {
                assertThat(context).as(pointcut).hasNotFailed();
                Items items = context.getBean(Items.class);
                items.save(new Item("a", "first"));
                assertThat(items.findById("a")).map(Item::name).contains("first");
                assertThat(items.findByName("first")).hasSize(1);
                assertThat(items.describe()).isEqualTo("items");
                assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "four"))
                        .as(pointcut)
                        .contains(
                                "Items.save(Object)",
                                "Items.findById(String)",
                                "Items.findByName(String)",
                                "Items.describe()",
                                "Items.count()")
                        .noneMatch(method -> method.contains("Advis") || method.contains("hashCode"));
                assertThat(context.getBean(ResilienceRegistry.class)
                                .retries()
                                .get("four")
                                .calls()
                                .byLabel()
                                .get("success"))
                        .as(pointcut)
                        .isGreaterThanOrEqualTo(4L);
                assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
            });
        }
    }

    @Test
    void oneMethodOfARepositoryIsProtected() {
        bound("execution(* #Items.findById(..))", DataConfiguration.class)
                .run(context -> assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "four"))
                        .containsExactly("Items.findById(String)"));
    }

    @Test
    void anAnnotationBeatsABindingKindByKind() {
        bound("execution(* #Annotated*.*(..))", Annotated.class, AnnotatedOff.class)
                .withPropertyValues(
                        "resilience.bindings[0].circuit-breaker=stock",
                        "resilience.circuit-breaker.stock.open-duration=10s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LiveRegistry registry = context.getBean(LiveRegistry.class);
                    assertThat(registry.usedBy("retry", "two")).containsExactly("Annotated.own()");
                    assertThat(registry.usedBy("retry", "four")).containsExactly("Annotated.none()");
                    assertThat(registry.usedBy("circuit-breaker", "stock"))
                            .containsExactlyInAnyOrder(
                                    "Annotated.own()", "Annotated.none()", "AnnotatedOff.none()", "Annotated.off()");
                    assertThat(registry.usedBy("circuit-breaker", "default")).isEmpty();
                });
    }

    @Test
    void ofTwoBindingsTheFirstHolds() {
        bound("execution(* #Service.fetch())", Service.class)
                .withPropertyValues(
                        "resilience.bindings[1].pointcut=within(" + HERE + "*)",
                        "resilience.bindings[1].retry=two",
                        "resilience.bindings[1].time-limit=default")
                .run(context -> {
                    LiveRegistry registry = context.getBean(LiveRegistry.class);
                    assertThat(registry.usedBy("retry", "four")).containsExactly("Service.fetch()");
                    assertThat(registry.usedBy("retry", "two")).containsExactly("Service.look()");
                    assertThat(registry.usedBy("time-limit", "default")).hasSize(2);
                });
    }

    @Test
    void placeholdersAreResolved() {
        Applications.plain(Service.class)
                .withPropertyValues(
                        "what=Service",
                        "many=four",
                        "resilience.bindings[0].pointcut=within(" + HERE + "${what})",
                        "resilience.bindings[0].retry=${many}")
                .run(fourAttemptsOf(Service.class));
    }

    @Test
    void infrastructureAndContainerCallbacksAreNotBound() {
        bound("execution(* *(..)) && !within(*..Callee)", FeignFactory.class, Service.class, Settings.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "four"))
                            .contains("Client.fetch()", "Client.look()", "Service.fetch()", "Service.look()")
                            .allMatch(method -> method.matches("(Client|Service|Callee)\\..*"));
                    assertThat(AopUtils.isAopProxy(context.getBean(BindingsTests.Properties.class)))
                            .isFalse();
                    assertThat(AopUtils.isAopProxy(context.getBean(FeignFactory.class)))
                            .isFalse();
                });
    }

    @Test
    void aKindOfTheApplicationsOwnIsBound() {
        bound("within(#Service)", Service.class, com.example.throttle.ThrottleKind.class)
                .withPropertyValues("resilience.throttle.slow.max-calls=1", "resilience.bindings[0].throttle=slow")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(LiveRegistry.class).usedBy("throttle", "slow"))
                            .containsExactlyInAnyOrder("Service.fetch()", "Service.look()");
                });
    }

    @Test
    void anInterfaceProxyOfAClassIsBound() {
        bound("execution(* #Client.*(..))", Service.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(fourAttemptsOf(Client.class));
    }

    @Test
    void withoutBindingsNoBeanIsAProxy() {
        Applications.plain(Service.class)
                .run(context -> assertThat(AopUtils.isAopProxy(context.getBean(Service.class)))
                        .isFalse());
    }

    @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
    @interface Remote {}

    @Remote
    public interface Client {

        @Remote
        String fetch() throws ConnectException;

        default String look() {
            return "nothing";
        }
    }

    static class Service implements Client {

        @Autowired
        Callee callee;

        @Override
        public String fetch() throws ConnectException {
            return callee.call();
        }

        @Override
        public String look() {
            return "something";
        }

        @Override
        public String toString() {
            return "service";
        }
    }

    static final class FinalClient implements Client {

        private final Callee callee;

        FinalClient(Callee callee) {
            this.callee = callee;
        }

        @Override
        public String fetch() throws ConnectException {
            return callee.call();
        }
    }

    static class FeignFactory implements FactoryBean<Client> {

        @Autowired
        Callee callee;

        @Override
        public Client getObject() {
            return (Client) Proxy.newProxyInstance(
                    Client.class.getClassLoader(),
                    new Class<?>[] {Client.class},
                    (self, method, arguments) -> switch (method.getName()) {
                        case "fetch" -> callee.call();
                        case "hashCode" -> 1;
                        case "equals" -> self == arguments[0];
                        default -> "client";
                    });
        }

        @Override
        public Class<?> getObjectType() {
            return Client.class;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnProxies {

        @Bean
        Client byJdk(Callee callee) {
            FinalClient target = new FinalClient(callee);
            return (Client) Proxy.newProxyInstance(
                    Client.class.getClassLoader(), new Class<?>[] {Client.class}, (self, method, arguments) -> {
                        try {
                            return method.invoke(target, arguments);
                        } catch (java.lang.reflect.InvocationTargetException failed) {
                            throw failed.getCause();
                        }
                    });
        }

        @Bean
        Client bySpring(Callee callee) {
            return (Client) new ProxyFactory(new FinalClient(callee)).getProxy();
        }

        @Bean
        Client bySubclass(Callee callee) {
            Service target = new Service();
            target.callee = callee;
            ProxyFactory factory = new ProxyFactory(target);
            factory.setProxyTargetClass(true);
            return (Client) factory.getProxy();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LambdaClient {

        @Bean
        Client lambda(Callee callee) {
            return callee::call;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LambdaCallable {

        @Bean
        Callable<String> lambda(Callee callee) {
            return callee::call;
        }
    }

    static class Annotated {

        @Retryable("two")
        public void own() {}

        @Retryable(enabled = false)
        public void off() {}

        public void none() {}
    }

    @Retryable(enabled = false)
    static class AnnotatedOff {

        public void none() {}

        @CircuitBreaker(enabled = false)
        public void off() {}
    }

    @ConfigurationProperties("settings")
    record Properties(String value) {}

    @Configuration
    @EnableConfigurationProperties(Properties.class)
    static class Settings {

        @Bean
        String text() {
            return "text";
        }
    }

    @NoRepositoryBean
    interface Base<T, I> extends KeyValueRepository<T, I> {

        default String describe() {
            return "items";
        }
    }

    interface Items extends Base<Item, String> {

        List<Item> findByName(String name);

        @Override
        Optional<Item> findById(String id);
    }

    record Item(@Id String id, String name) {}

    @Configuration(proxyBeanMethods = false)
    @EnableMapRepositories(considerNestedRepositories = true, basePackageClasses = BindingsTests.class)
    static class DataConfiguration {}
}
