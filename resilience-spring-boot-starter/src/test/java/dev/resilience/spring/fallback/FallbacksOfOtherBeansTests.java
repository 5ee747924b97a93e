package dev.resilience.spring.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** {@code @Fallback("bean::method")}. */
class FallbacksOfOtherBeansTests {

    @Test
    void theMethodOfAnotherBeanAnswers() {
        shop().withBean("backup", Backup.class).run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.sell("tea")).isEqualTo("backup tea");
        });
    }

    @Test
    void theClosestExceptionTypeAnswersThereToo() {
        shop().withBean("backup", Backup.class).run(context -> {
            Shop shop = context.getBean(Shop.class);

            assertThat(shop.fail(new SocketTimeoutException())).isEqualTo("timeout");
            assertThat(shop.fail(new ConnectException())).isEqualTo("input or output");
            assertThat(shop.fail(new IllegalStateException())).isEqualTo("anything");
        });
    }

    @Test
    void theAnnotationsOfTheOtherBeanHold() {
        shop().withBean("backup", Backup.class).run(context -> {
            Callee callee = context.getBean(Callee.class).failNext(2);

            assertThat(context.getBean(Shop.class).sellWithRetries("tea")).isEqualTo("answer 3");
            assertThat(callee.calls()).isEqualTo(3);
            assertThat(context.getBean(ResilienceRegistry.class)
                            .retries()
                            .get("three")
                            .attempts())
                    .isEqualTo(2);
        });
    }

    @Test
    void aFailedFutureIsAnsweredByAnotherBean() {
        shop().withBean("backup", Backup.class)
                .run(context ->
                        assertThat(context.getBean(Shop.class).order("tea")).isCompletedWithValue("later tea"));
    }

    @Test
    void aFallbackThatReturnsNoFutureIsNamedInTheFailure() {
        shop().withBean("backup", Backup.class)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Shop.class).lost("tea").join())
                        .hasRootCauseInstanceOf(NullPointerException.class)
                        .hasMessageContaining("Backup.none(String) returned null in place of a CompletableFuture"));
    }

    @Test
    void twoBeansMayNeedEachOther() {
        Applications.plain(Needed.class)
                .withBean("needing", Needing.class)
                .run(context ->
                        assertThat(context.getBean(Needed.class).sell("tea")).isEqualTo("needing tea"));
    }

    @Test
    void aLazyBeanIsMadeWhenItFirstAnswers() {
        shop().withUserConfiguration(LazyBackup.class).run(context -> {
            LazyBackup.made.set(0);
            Shop shop = context.getBean(Shop.class);
            assertThat(LazyBackup.made).hasValue(0);

            assertThat(shop.sell("tea")).isEqualTo("backup tea");
            assertThat(shop.sell("milk")).isEqualTo("backup milk");
            assertThat(LazyBackup.made).hasValue(1);
        });
    }

    @Test
    void aPrototypeIsMadeForEachAnswer() {
        shop().withUserConfiguration(PrototypeBackup.class).run(context -> {
            PrototypeBackup.made.set(0);
            Shop shop = context.getBean(Shop.class);

            shop.sell("tea");
            shop.sell("milk");

            assertThat(PrototypeBackup.made).hasValue(2);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterfaceProxyAnswersThroughItsInterface(boolean lazy) {
        Applications.plain(OrderShop.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("orders", OrderBackup.class, OrderBackup::new, definition -> definition.setLazyInit(lazy))
                .run(context -> {
                    Callee callee = context.getBean(Callee.class).failNext(2);

                    assertThat(context.getBean(OrderShop.class).sell(7L)).isEqualTo("7: answer 3");
                    assertThat(callee.calls()).isEqualTo(3);
                });
    }

    @Test
    void aLambdaAnswers() {
        Applications.plain(Everything.class)
                .withBean("backup", Seller.class, () -> what -> "lambda " + what)
                .run(context -> assertThat(context.getBean(Everything.class).sell("tea"))
                        .isEqualTo("lambda tea"));
    }

    @Test
    void theProductOfAFactoryBeanAnswers() {
        shop().withBean("backup", BackupFactory.class)
                .run(context ->
                        assertThat(context.getBean(Shop.class).sell("tea")).isEqualTo("backup tea"));
    }

    @Test
    void aBeanOfTheParentAnswers() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
            parent.registerBean("backup", Backup.class);
            parent.registerBean(Callee.class);
            parent.refresh();
            shop().withParent(parent)
                    .run(context ->
                            assertThat(context.getBean(Shop.class).sell("tea")).isEqualTo("backup tea"));
        }
    }

    @Test
    void allMethodsOfATypeMayHaveOne() {
        Applications.plain(Everything.class)
                .withBean("backup", Backup.class)
                .run(context -> assertThat(context.getBean(Everything.class).sell("tea"))
                        .isEqualTo("backup tea"));
    }

    @Nested
    class Refused {

        @Test
        void aBeanThatDoesNotExist() {
            shop().withBean("backupShop", Backup.class)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasMessageContainingAll(
                                    "The bean 'backup' of the fallback 'backup::sell' of " + Shop.class.getName(),
                                    "does not exist")
                            .extracting(failure -> ((ResilienceConfigurationException) failure).action())
                            .asString()
                            .contains("Did you mean 'backupShop'?"));
        }

        @ParameterizedTest
        @CsvSource({
            "Missing, 'does not exist in the bean ''backup'' (', Did you mean 'sell'?",
            "Mismatched, 'later(Integer), which takes other parameters', has the same parameters",
            "Hidden, 'Backup.hidden(String), which is private', has the same parameters",
            "Last, 'Backup.last(String), which is final', has the same parameters",
            "Checked, 'throws java.io.IOException, which ', Catch it in 'checked'"
        })
        void whatCannotWork(String bean, String message, String cure) throws ClassNotFoundException {
            Class<?> type = Class.forName(FallbacksOfOtherBeansTests.class.getName() + "$" + bean);
            Applications.plain(type)
                    .withBean("backup", Backup.class)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasMessageContainingAll(type.getName() + ".sell(java.lang.String)", message)
                            .extracting(failure -> ((ResilienceConfigurationException) failure).action())
                            .asString()
                            .contains(cure));
        }

        @Test
        void aMethodThatIsItsOwnFallback() {
            Applications.plain()
                    .withBean("own", Own.class)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasMessageContaining("The fallback method 'own::sell' of " + Own.class.getName()));
        }
    }

    private static ApplicationContextRunner shop() {
        return Applications.plain(Shop.class);
    }

    interface Seller {

        String sell(String what);
    }

    static class Shop {

        @Fallback("backup::sell")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }

        @Fallback("backup::closest")
        public String fail(Throwable with) throws Throwable {
            throw with;
        }

        @Fallback("backup::call")
        public String sellWithRetries(String what) throws ConnectException {
            throw new ConnectException();
        }

        @Fallback("backup::later")
        public CompletableFuture<String> order(String what) {
            return CompletableFuture.failedFuture(new ConnectException());
        }

        @Fallback("backup::none")
        public CompletableFuture<String> lost(String what) {
            return CompletableFuture.failedFuture(new ConnectException());
        }
    }

    @SuppressWarnings("UnusedMethod") // called by name
    static class Backup {

        @Autowired
        Callee callee;

        private final String text = "backup ";

        String sell(String what) {
            return text + what;
        }

        String closest(Throwable with, Exception failure) {
            return "anything";
        }

        String closest(IOException failure) {
            return "input or output";
        }

        String closest(SocketTimeoutException failure, Throwable with) {
            return "timeout";
        }

        @Retryable("three")
        String call(Throwable failure) throws ConnectException {
            return callee.call();
        }

        CompletableFuture<String> later(String what) {
            return CompletableFuture.completedFuture("later " + what);
        }

        CompletableFuture<String> none(String what) {
            return null;
        }

        String later(Integer howMany) {
            return "";
        }

        private String hidden(String what) {
            return what;
        }

        final String last(String what) {
            return what;
        }

        String checked(String what) throws IOException {
            return what;
        }
    }

    static class Needed {

        @Fallback("needing::sell")
        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Needing {

        Needing(Needed needed) {
            assertThat(needed).isNotNull();
        }

        String sell(String what) {
            return "needing " + what;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBackup {

        static final AtomicInteger made = new AtomicInteger();

        @Lazy
        @Bean
        Backup backup() {
            made.incrementAndGet();
            return new Backup();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrototypeBackup {

        static final AtomicInteger made = new AtomicInteger();

        @Scope("prototype")
        @Bean
        Backup backup() {
            made.incrementAndGet();
            return new Backup();
        }
    }

    interface GenericSeller<T> {

        String sell(T what) throws ConnectException;
    }

    static class OrderBackup implements GenericSeller<Long> {

        @Autowired
        Callee callee;

        @Override
        @Retryable("three")
        public String sell(Long what) throws ConnectException {
            return what + ": " + callee.call();
        }
    }

    static class OrderShop {

        @Fallback("orders::sell")
        public String sell(Long what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class BackupFactory implements FactoryBean<Backup> {

        @Override
        public Backup getObject() {
            return new Backup();
        }

        @Override
        public Class<?> getObjectType() {
            return Backup.class;
        }
    }

    @Fallback("backup::sell")
    static class Everything {

        public String sell(String what) throws ConnectException {
            throw new ConnectException();
        }
    }

    static class Missing {

        @Fallback("backup::sel")
        public String sell(String what) {
            return what;
        }
    }

    static class Mismatched {

        @Fallback("backup::later")
        public String sell(String what) {
            return what;
        }
    }

    static class Hidden {

        @Fallback("backup::hidden")
        public String sell(String what) {
            return what;
        }
    }

    static class Last {

        @Fallback("backup::last")
        public String sell(String what) {
            return what;
        }
    }

    static class Checked {

        @Fallback("backup::checked")
        public String sell(String what) {
            return what;
        }
    }

    static class Own {

        @Fallback("own::sell")
        public String sell(String what) {
            return what;
        }
    }

    static class First {

        @Fallback("second::sell")
        public String sell(String what) {
            return what;
        }
    }

    static class Second {

        @Fallback("third::sell")
        public String sell(String what) {
            return what;
        }
    }

    static class Third {

        @Fallback("first::sell")
        public String sell(String what) {
            return what;
        }
    }

    @Test
    void aBeanThatDoesNotExistIsAnsweredWithTheThreeNearestNames() {
        Applications.plain(Misspelt.class)
                .withBean("fallbacksOfOrders", OrderBackup.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOfSatisfying(
                                ResilienceConfigurationException.class,
                                problem -> assertThat(problem.action().split("'[^']+'", -1))
                                        .as(problem.action())
                                        .hasSize(4)));
    }

    static class Misspelt {

        @Fallback("qqq::sell")
        public String sell() {
            return "";
        }
    }
}
