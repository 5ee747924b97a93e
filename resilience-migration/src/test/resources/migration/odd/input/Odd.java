package com.acme.odd;

import io.github.resilience4j.retry.annotation.Retry; import org.springframework.retry.annotation.Retryable;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/* @Retry(name = "a") */ @SuppressWarnings({"unchecked", ")"}) @Retry(name = Odd.NAME) public final @Deprecated class Odd {

    static final String NAME = "odd" /* the policy */;
    static final char QUOTE = '"', TICK = '\'';
    String text = """
        "@Retryable" \""" { (
        """;

    enum Size {
        @Deprecated
        SMALL("{") {
            @Override
            @Retryable
            String sign() {
                return "}";
            }
        };

        final String sign;

        Size(String sign) {
            this.sign = sign;
        }

        String sign() {
            return sign;
        }
    }

    record Pair<A, B extends Comparable<? super B>>(@Deprecated A first, B second) {
        @Retryable(value = {IllegalStateException.class, java.io.UncheckedIOException.class})
        Map<String, List<? extends Number>> both(@Deprecated final Map<String, ? extends B> one, int... rest) {
            Object record = first;
            return Map.of(String.valueOf(record), List.of(rest.length));
        }
    }

    @interface Own {
        String name() default "@Retry(name = \"x\")";
    }

    @Retryable(/* none of them */ retryFor = {} /* yet */) @Own(name = "(") protected synchronized <T extends Function<String, T>> T generic(T one) { return one; }

    Odd() {}

    @org.springframework.retry.annotation.Retryable(maxAttempts = 1_0)
    public void counted() {
        class Local {
            @Retry(name = NAME + 1)
            void inside() {}
        }
        new Local().inside();
    }
}
