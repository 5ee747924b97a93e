package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.StartupWarnings;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.transaction.annotation.Transactional;

@ExtendWith(OutputCaptureExtension.class)
class StartupWarningsTests {

    @Test
    void tellOfAnotherLibrarysRetryOnTheSameMethod(CapturedOutput output) {
        Applications.plain(RetriedTwice.class, EnabledBySpring.class).run(context -> {
            assertThat(context.getBean(StartupWarnings.class).all())
                    .singleElement()
                    .asString()
                    .contains(RetriedTwice.class.getName() + ".sell()")
                    .contains("@org.springframework.resilience.annotation.Retryable")
                    .contains("multiply", "[retry-inside-retry]");
            assertThat(output).contains("is retried twice");
        });
    }

    @Test
    void tellOfAnotherLibrarysRetryOnTheSameMethodThoughNothingEnablesIt() {
        Applications.plain(RetriedTwice.class)
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .anySatisfy(warning -> assertThat(warning)
                                .contains(RetriedTwice.class.getName() + ".sell()")
                                .contains("is retried twice")));
    }

    @Test
    void tellOfAnotherLibrarysRetryOnTheType() {
        Applications.plain(RetriedTwiceByType.class)
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .anySatisfy(warning -> assertThat(warning)
                                .contains(RetriedTwiceByType.class.getName() + ".sell()")
                                .contains("is retried twice")));
    }

    @Test
    void tellOfAnAnnotatedBeanThatWasMadeTooEarlyToBeProtected(CapturedOutput output) {
        Applications.plain(Early.class).run(context -> {
            assertThat(context.getBean(StartupWarnings.class).all())
                    .singleElement()
                    .asString()
                    .contains(Shop.class.getName())
                    .contains("no proxy", "[bean-without-proxy]");
            assertThat(output).contains("are not protected");
            assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell))
                    .isEqualTo(1);
        });
    }

    @Test
    void tellThatProxiesAreSwitchedOff() {
        Applications.plain(Shop.class)
                .withPropertyValues("spring.aop.auto=false")
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .singleElement()
                        .asString()
                        .contains("'spring.aop.auto' is false"));
    }

    @Test
    void tellOfTransactionsOnWorkerThreads() {
        Applications.plain(Transfers.class, TransactionalType.class)
                .withPropertyValues("resilience.time-limit.worker.thread=worker")
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .hasSize(2)
                        .anySatisfy(warning -> assertThat(warning)
                                .contains(Transfers.class.getName() + ".transfer()")
                                .contains("is @Transactional and runs on a worker thread of the time limit 'worker'"))
                        .anySatisfy(warning ->
                                assertThat(warning).contains(TransactionalType.class.getName() + ".transfer()")));
    }

    @Test
    void tellOfTransactionsInThreadPools() {
        Applications.plain(TransfersInPool.class)
                .withPropertyValues("resilience.bulkhead.pool.type=thread-pool")
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .singleElement()
                        .asString()
                        .contains(TransfersInPool.class.getName() + ".transfer()")
                        .contains("is @Transactional and runs on a thread of the bulkhead 'pool'")
                        .contains("[transaction-on-worker]"));
    }

    @Test
    void areNotGivenWithoutReason() {
        Applications.plain(Shop.class)
                .run(context ->
                        assertThat(context.getBean(StartupWarnings.class).all()).isEmpty());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class EnabledBySpring {}

    static class RetriedTwice {

        @Retryable("two")
        @org.springframework.resilience.annotation.Retryable
        public void sell() {}

        @org.springframework.resilience.annotation.Retryable
        public void byTheOtherAlone() {}
    }

    @org.springframework.resilience.annotation.Retryable
    static class RetriedTwiceByType {

        @Retryable("two")
        public void sell() {}
    }

    static class Transfers {

        @TimeLimit("worker")
        @Transactional
        public void transfer() {}

        @TimeLimit("default")
        @Transactional
        public void onItsCallersThread() {}

        @TimeLimit("worker")
        public void withoutTransaction() {}
    }

    static class TransfersInPool {

        @Bulkhead("pool")
        @Transactional
        public void transfer() {}

        @Bulkhead("default")
        @Transactional
        public void onItsCallersThread() {}

        @Bulkhead("pool")
        public void withoutTransaction() {}
    }

    @Transactional
    static class TransactionalType {

        @TimeLimit("worker")
        public void transfer() {}
    }

    static class Shop {

        private final Callee callee;

        Shop(Callee callee) {
            this.callee = callee;
        }

        @Retryable("two")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Early {

        @Bean
        static Shop shop(Callee callee) {
            return new Shop(callee);
        }

        @Bean
        static EarlyBird earlyBird(Shop shop) {
            return new EarlyBird(shop);
        }
    }

    /** Made before what makes proxies, and so is what it depends on. */
    static class EarlyBird implements BeanPostProcessor, PriorityOrdered {

        EarlyBird(Shop shop) {
            assertThat(shop).isNotNull();
        }

        @Override
        public int getOrder() {
            return 0;
        }
    }
}
