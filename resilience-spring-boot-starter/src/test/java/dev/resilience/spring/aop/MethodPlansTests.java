package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class MethodPlansTests {

    private static final int THREADS = 8;

    @RepeatedTest(5)
    void firstCallsAtTheSameTimeFollowOnePlan() {
        Applications.plain().run(context -> {
            MethodPlans plans = context.getBean(ResilienceAdvisor.class).plans();
            Method method = Port.class.getMethod("sell", String.class);
            CyclicBarrier start = new CyclicBarrier(THREADS);
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try {
                List<Future<MethodPlan>> found = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    found.add(threads.submit(() -> {
                        start.await(10, TimeUnit.SECONDS);
                        return plans.plan(method, Shop.class);
                    }));
                }
                MethodPlan first = found.get(0).get(10, TimeUnit.SECONDS);
                for (Future<MethodPlan> plan : found) {
                    assertThat(plan.get(10, TimeUnit.SECONDS)).isNotNull().isSameAs(first);
                }
            } finally {
                threads.shutdownNow();
            }
            assertThat(context.getBean(LiveRegistry.class).ofKind("fallback")).hasSize(1);
        });
    }

    @Test
    void theInterfacesMethodAndTheClassesFollowOnePlan() {
        Applications.plain().run(context -> {
            MethodPlans plans = context.getBean(ResilienceAdvisor.class).plans();

            MethodPlan plan = plans.plan(Port.class.getMethod("sell", String.class), Shop.class);

            assertThat(plan).isNotNull().isSameAs(plans.plan(Shop.class.getMethod("sell", String.class), Shop.class));
        });
    }

    @Test
    void aMethodThatIsNotProtectedHasNoPlan() {
        Applications.plain().run(context -> {
            MethodPlans plans = context.getBean(ResilienceAdvisor.class).plans();
            assertThat(plans.plan(Shop.class.getMethod("look"), Shop.class)).isNull();
            assertThat(plans.plan(Object.class.getMethod("toString"), Shop.class))
                    .isNull();
        });
    }

    interface Port {

        String sell(String what);
    }

    static class Shop implements Port {

        @Override
        @Fallback("nothing")
        @Retryable("default")
        public String sell(String what) {
            return what;
        }

        String nothing(String what) {
            return "no " + what;
        }

        public String look() {
            return "window";
        }
    }
}
