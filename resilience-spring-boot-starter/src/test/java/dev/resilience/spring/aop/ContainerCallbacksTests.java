package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import jakarta.annotation.PostConstruct;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

/** What the container calls is no service: an annotation of the type does not hold for it. */
class ContainerCallbacksTests {

    private static final String OPEN = "resilience.circuit-breaker.gateway.initial-state=forced-open";

    @Test
    void anOpenCircuitBreakerDoesNotKeepABeanFromBeingStartedStoppedAndDestroyed() {
        List<String> log = new ArrayList<>();
        Applications.plain()
                .withBean(Gateway.class, log)
                .withPropertyValues(OPEN)
                .run(context -> {
                    Gateway gateway = context.getBean(Gateway.class);
                    assertThat(gateway.isRunning()).isTrue();
                    assertThatThrownBy(gateway::charge).isInstanceOf(CircuitOpenException.class);
                    assertThat(context.getBean(LiveRegistry.class).usedBy("circuit-breaker", "gateway"))
                            .containsExactly("Gateway.charge()", "Gateway.refund(ContextClosedEvent)");
                });

        assertThat(log).containsExactly("named", "set up", "started", "closing", "stopped", "destroyed");
    }

    @Test
    void aCallbackThatIsAnnotatedItselfIsProtected() {
        Applications.plain(Annotated.class)
                .withPropertyValues(OPEN)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Annotated.class).afterPropertiesSet())
                        .isInstanceOf(CircuitOpenException.class));
    }

    @Test
    void aMethodThatTheContainerCallsWithoutTheProxyIsWarnedOf() {
        String told =
                " has @CircuitBreaker, but the container calls it on the bean itself and not on its proxy, so that "
                        + "call is not protected. Let it call a method of another bean that has the annotation "
                        + "[annotation-on-callback] (docs/warnings.md#annotation-on-callback)";

        assertThat(Applications.warnings(WarmUp.class))
                .containsExactlyInAnyOrder(
                        "The method " + WarmUp.class.getName() + ".afterPropertiesSet()" + told,
                        "The method " + WarmUp.class.getName() + ".load()" + told);
    }

    /** The application's own name for it. */
    interface Startable extends SmartLifecycle {}

    @CircuitBreaker("gateway")
    static class Gateway
            implements Startable,
                    InitializingBean,
                    DisposableBean,
                    BeanNameAware,
                    ApplicationListener<ContextClosedEvent> {

        private final List<String> log;
        private boolean running;

        Gateway(List<String> log) {
            this.log = log;
        }

        public String charge() {
            return "charged";
        }

        @EventListener(condition = "false")
        public void refund(ContextClosedEvent event) {
            throw new AssertionError();
        }

        @Override
        public void setBeanName(String name) {
            log.add("named");
        }

        @Override
        public void afterPropertiesSet() {
            log.add("set up");
        }

        @Override
        public void start() {
            running = true;
            log.add("started");
        }

        @Override
        public void stop() {
            log.add("stopped");
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public void onApplicationEvent(ContextClosedEvent event) {
            log.add("closing");
        }

        @Override
        public void destroy() {
            log.add("destroyed");
        }
    }

    static class Annotated implements InitializingBean {

        @Override
        @CircuitBreaker("gateway")
        public void afterPropertiesSet() {}
    }

    static class WarmUp implements SmartLifecycle, InitializingBean {

        @PostConstruct
        @CircuitBreaker
        public void load() {}

        @Override
        @CircuitBreaker
        public void afterPropertiesSet() {}

        @Override
        @CircuitBreaker
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }
}
