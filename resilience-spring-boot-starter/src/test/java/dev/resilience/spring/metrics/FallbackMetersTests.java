package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Fallback;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

class FallbackMetersTests {

    @Test
    void answersAndFailuresAreCountedByProtectedMethod() {
        Meters.application(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.sell(true);
            shop.sell(false);
            shop.sell(false);
            assertThatThrownBy(() -> shop.order(false)).isInstanceOf(IllegalStateException.class);

            assertThat(calls(context, "Shop.sell")).isEqualTo(Map.of("success", 2));
            assertThat(calls(context, "Shop.order")).isEqualTo(Map.of("failure", 1));
        });
    }

    @Test
    void overloadsAreCountedTogether() {
        Meters.application(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.look("out");
            shop.look(1);

            assertThat(calls(context, "Shop.look")).isEqualTo(Map.of("success", 2));
        });
    }

    private static Map<String, Integer> calls(AssertableApplicationContext context, String name) {
        return Meters.of(context).countsBy("outcome", "resilience.fallback.calls", "name", name);
    }

    static class Shop {

        @Fallback("nothing")
        public String sell(boolean open) {
            if (!open) {
                throw new IllegalArgumentException("closed");
            }
            return "sold";
        }

        String nothing(boolean open) {
            return "nothing";
        }

        @Fallback("worse")
        public String order(boolean open) {
            throw new IllegalArgumentException("closed");
        }

        String worse(boolean open) {
            throw new IllegalStateException("no fallback either");
        }

        @Fallback("blind")
        public String look(String where) {
            throw new IllegalArgumentException(where);
        }

        @Fallback("blind")
        public String look(int where) {
            throw new IllegalArgumentException(String.valueOf(where));
        }

        String blind(String where) {
            return "nothing there";
        }

        String blind(int where) {
            return "nothing there";
        }
    }
}
