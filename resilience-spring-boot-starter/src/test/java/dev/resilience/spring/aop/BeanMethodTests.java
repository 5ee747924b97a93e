package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What annotations on {@code @Bean} methods do, which is not what they seem to. */
class BeanMethodTests {

    @Test
    void anAnnotationOnABeanMethodHoldsForMakingTheBeanAndNotForItsCalls() {
        Applications.plain(OnMethod.class).run(context -> {
            Callee callee = context.getBean(Callee.class);

            assertThat(callee.calls())
                    .as("the bean is made at the second attempt")
                    .isEqualTo(2);
            assertThat(callee.attemptsOf(context.getBean(Client.class)::call)).isEqualTo(1);
        });
    }

    @Test
    void anAnnotationOnABeanMethodIsWarnedOf() {
        assertThat(Applications.warnings(OnMethod.class))
                .containsExactly("The @Bean method " + OnMethod.class.getName() + ".client(" + Callee.class.getName()
                        + ") has @Bulkhead, @Retryable, which holds for making the bean and not for calls of it. Annotate the "
                        + "methods of Client or of an interface that it implements; where that cannot be, write a bean that "
                        + "calls it, and annotate that bean's methods [annotation-on-bean-method] "
                        + "(docs/warnings.md#annotation-on-bean-method)");
    }

    @Test
    void anAnnotationOnAConfigurationClassIsWarnedOf() {
        assertThat(Applications.warnings(OnType.class))
                .containsExactly("The configuration class " + OnType.class.getName()
                        + " has @Retryable, which holds for making its beans, as by client(), and not for calls of them. "
                        + "Annotate the classes of the beans or their interfaces [annotation-on-bean-method] "
                        + "(docs/warnings.md#annotation-on-bean-method)");
    }

    @Test
    void otherMethodsOfAConfigurationClassAreProtectedAndNotWarnedOf() {
        Applications.plain(WithAJob.class).run(context -> {
            assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(WithAJob.class)::job))
                    .isEqualTo(2);
        });
        assertThat(Applications.warnings(WithAJob.class)).isEmpty();
    }

    static class Client {

        private final Callee callee;

        Client(Callee callee) {
            this.callee = callee;
        }

        String call() throws ConnectException {
            return callee.call();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnMethod {

        @Bulkhead("default")
        @Retryable("two")
        @Bean
        Client client(Callee callee) throws ConnectException {
            if (callee.calls() == 0) {
                callee.failNext(1);
            }
            callee.call();
            return new Client(callee);
        }
    }

    @Configuration
    @Retryable("two")
    static class OnType {

        @Bean
        public Client client(Callee callee) {
            return new Client(callee);
        }
    }

    @Configuration
    static class WithAJob {

        private final Callee callee;

        WithAJob(Callee callee) {
            this.callee = callee;
        }

        @Retryable("two")
        public void job() throws ConnectException {
            callee.call();
        }
    }
}
