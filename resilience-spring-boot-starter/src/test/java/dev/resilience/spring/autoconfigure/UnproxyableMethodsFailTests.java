package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.desk.FarShop;
import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Annotations where a proxy cannot intercept, so that they would silently protect nothing. */
class UnproxyableMethodsFailTests extends FailingStartup {

    private static final String WHY = "a proxy cannot intercept it, so nothing would protect it";

    @Test
    void aPrivateMethod() {
        fail(Private.class)
                .blames(Private.class, "pay(java.lang.String)")
                .says("is annotated with @Retryable but is private", WHY)
                .advises("Make it public, or move the annotation to a public method.");
    }

    @Test
    void aStaticMethod() {
        fail(Static.class)
                .blames(Static.class, "pay()")
                .says("is annotated with @Bulkhead but is static", WHY)
                .advises("Make it an instance method of a bean.");
    }

    @Test
    void aFinalMethod() {
        fail(Final.class)
                .blames(Final.class, "pay()")
                .says("is annotated with @Bulkhead, @Retryable but is final", WHY)
                .advises("Make it non-final.");
    }

    @Test
    void aPublicFinalMethodUnderAnnotationsOfTheType() {
        fail(FinalUnderType.class)
                .blames(FinalUnderType.class, "pay()")
                .says("@CircuitBreaker", "is final", WHY)
                .advises("Make it non-final, or annotate the methods one by one in place of the type.");
    }

    @Test
    void aPackagePrivateMethodOfAnotherPackage() {
        fail(NearShop.class)
                .blames(NearShop.class, "sell()")
                .says("is package-private in another package", WHY)
                .advises("Make it protected or public.");
    }

    @Test
    void aFinalClass() {
        fail(FinalClass.class)
                .blames(FinalClass.class, "pay()")
                .says("is in a final class", WHY)
                .advises("Make the class non-final", "spring.aop.proxy-target-class: false");
    }

    @Test
    void aRecord() {
        fail(Records.class)
                .blames(RecordBean.class, "pay()")
                .says("is in a final class", WHY)
                .advises("records");
    }

    @Test
    void aMethodThatIsInNoInterfaceOfAProxyByInterfaces() {
        fail("spring.aop.proxy-target-class: false", NotInInterface.class)
                .blames(NotInInterface.class, "refund()")
                .says("is in none of the interfaces", WHY)
                .advises("Add it to an interface");
    }

    @Test
    void aBeanThatIsMadeLaterIsLookedAtAtStartup() {
        fail("spring.main.lazy-initialization: true", Private.class).blames(Private.class, "pay(java.lang.String)");
    }

    /** A call before the end of the startup would run without any protection. */
    @Test
    void isReportedWithAllOtherProblemsBeforeAnotherBeanCanCallIt() {
        Caller.CALLS.set(0);
        fail("resilience.retry.default.max-attempts: 0", Callers.class)
                .blames(FinalClass.class, "pay()")
                .blames(Later.class, "pay()")
                .says("There are 3 problems", "is in a final class", "max-attempts", "'nowhere'");
        assertThat(Caller.CALLS).hasValue(0);
    }

    @Configuration(proxyBeanMethods = false)
    static class Callers {

        @Bean
        FinalClass payments() {
            return new FinalClass();
        }

        @Bean
        Caller caller(FinalClass payments) {
            return new Caller(payments);
        }

        @Bean
        Later later() {
            return new Later();
        }
    }

    static class Caller {

        static final AtomicInteger CALLS = new AtomicInteger();

        Caller(FinalClass payments) {
            payments.pay();
            CALLS.incrementAndGet();
        }
    }

    static class Later {

        @Retryable("nowhere")
        void pay() {}
    }

    static class Private {

        @Retryable("default")
        @SuppressWarnings("unused")
        private void pay(String order) {}
    }

    static class Static {

        @Bulkhead("default")
        static void pay() {}
    }

    static class Final {

        @Retryable("default")
        @Bulkhead("default")
        final void pay() {}
    }

    @CircuitBreaker("default")
    static class FinalUnderType {

        public void refund() {}

        public final void pay() {}
    }

    static final class FinalClass {

        @Retryable("default")
        void pay() {}
    }

    record RecordBean(String name) {

        @Retryable("default")
        void pay() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Records {

        @Bean
        RecordBean payments() {
            return new RecordBean("payments");
        }
    }

    interface Payments {

        void pay();
    }

    static class NotInInterface implements Payments {

        @Override
        public void pay() {}

        @Retryable("default")
        public void refund() {}
    }

    static class NearShop extends FarShop {}
}
