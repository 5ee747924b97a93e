package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class GenericMethodsTests {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConcreteImplementationOfAGenericInterfaceIsInterceptedOnce(boolean proxyTargetClass) {
        Applications.plain(OrderHandler.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    @SuppressWarnings("unchecked")
                    Handler<Order, String> handler = context.getBean(Handler.class);

                    assertThat(context.getBean(Callee.class).attemptsOf(() -> handler.handle(new Order(1))))
                            .isEqualTo(3);
                    assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "three"))
                            .containsExactly("OrderHandler.handle(Order)");
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnnotationOnAGenericInterfacesMethodHoldsForItsConcreteImplementation(boolean proxyTargetClass) {
        Applications.plain(RefundHandler.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    @SuppressWarnings("unchecked")
                    AnnotatedHandler<Order> handler = context.getBean(AnnotatedHandler.class);

                    assertThat(context.getBean(Callee.class).attemptsOf(() -> handler.handle(new Order(1))))
                            .isEqualTo(4);
                });
    }

    @Test
    void theConcreteMethodAndItsBridgeAreOneMethod() {
        Applications.with(
                OrderHandler.class,
                (handler, callee) -> assertThat(callee.attemptsOf(() -> handler.handle(new Order(1))))
                        .isEqualTo(3));
    }

    @Test
    void aCovariantReturnTypeIsInterceptedOnce() {
        Applications.with(NarrowShop.class, (shop, callee) -> {
            WideShop wide = shop;
            assertThat(callee.attemptsOf(shop::sell)).isEqualTo(3);
            assertThat(callee.attemptsOf(wide::sell)).isEqualTo(3);
        });
    }

    @Test
    void aMethodOfAGenericSuperclassIsInterceptedOnce() {
        Applications.with(
                OrderRepository.class,
                (repository, callee) -> assertThat(callee.attemptsOf(() -> repository.save(new Order(1))))
                        .isEqualTo(2));
    }

    @Test
    void aTypeVariableThatStandsForAFutureIsRetriedWhenTheFutureFails() {
        Applications.with(LateRepository.class, (repository, callee) -> {
            callee.failNext(2);
            assertThat(repository.load()).isCompletedWithValue("answer 3");
        });
    }

    /** As a Spring Data repository is one: a proxy that the library did not make, called through what it extends. */
    @Test
    void aRepositoryThatIsCalledThroughItsGenericInterfaceIsProtected() {
        Applications.plain(Repositories.class).run(context -> {
            Callee callee = context.getBean(Callee.class);
            OrderStore store = context.getBean(OrderStore.class);
            Store<Order, Integer> general = store;

            assertThat(callee.attemptsOf(() -> store.find(1))).isEqualTo(3);
            assertThat(callee.attemptsOf(() -> general.find(1))).isEqualTo(3);
            assertThat(callee.attemptsOf(() -> store.save(new Order(1)))).isEqualTo(4);
            assertThat(callee.attemptsOf(() -> general.save(new Order(1)))).isEqualTo(4);
            assertThat(callee.attemptsOf(() -> general.count())).isEqualTo(1);
        });
    }

    @Test
    void aFallbackOfAGenericClassMayBeOverriddenWithTheConcreteType() {
        Applications.with(OrderDesk.class, (desk, callee) -> {
            callee.failNext(1);
            assertThat(desk.take(new Order(7))).isEqualTo("later: 7");
        });
    }

    record Order(int id) {}

    interface Store<T, I> {

        String find(I id) throws ConnectException;

        String save(T entity) throws ConnectException;

        String count() throws ConnectException;
    }

    interface OrderStore extends Store<Order, Integer> {

        @Override
        @Retryable("three")
        String find(Integer id) throws ConnectException;

        @Override
        @Retryable("four")
        String save(Order entity) throws ConnectException;
    }

    @Configuration(proxyBeanMethods = false)
    static class Repositories {

        @Bean
        OrderStore store(Callee callee) {
            return (OrderStore) Proxy.newProxyInstance(
                    OrderStore.class.getClassLoader(),
                    new Class<?>[] {OrderStore.class},
                    (proxy, method, arguments) -> method.getDeclaringClass() == Object.class
                            ? method.invoke(callee, arguments)
                            : callee.call());
        }
    }

    abstract static class Desk<T> {

        @Autowired
        Callee callee;

        @Fallback("later")
        public String take(T entity) throws ConnectException {
            return callee.call();
        }

        String later(T entity) {
            return "never";
        }
    }

    static class OrderDesk extends Desk<Order> {

        @Override
        String later(Order order) {
            return "later: " + order.id();
        }
    }

    interface Handler<T, R> {

        R handle(T input) throws ConnectException;
    }

    static class OrderHandler implements Handler<Order, String> {

        @Autowired
        Callee callee;

        @Override
        @Retryable("three")
        public String handle(Order input) throws ConnectException {
            return callee.call();
        }
    }

    interface AnnotatedHandler<T> {

        @Retryable("four")
        String handle(T input) throws ConnectException;
    }

    static class RefundHandler implements AnnotatedHandler<Order> {

        @Autowired
        Callee callee;

        @Override
        public String handle(Order input) throws ConnectException {
            return callee.call();
        }
    }

    static class WideShop {

        @Autowired
        Callee callee;

        public Object sell() throws ConnectException {
            return callee.call();
        }
    }

    static class NarrowShop extends WideShop {

        @Override
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    abstract static class Repository<T> {

        @Autowired
        Callee callee;

        @Retryable("two")
        public String save(T entity) throws ConnectException {
            return callee.call();
        }
    }

    static class OrderRepository extends Repository<Order> {}

    abstract static class Loader<R> {

        @Autowired
        Callee callee;

        @Retryable("at-once")
        public R load() {
            return start();
        }

        abstract R start();
    }

    static class LateRepository extends Loader<CompletableFuture<String>> {

        @Override
        CompletableFuture<String> start() {
            return callee.callAsync();
        }
    }
}
