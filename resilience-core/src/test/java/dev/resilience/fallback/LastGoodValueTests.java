package dev.resilience.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.concurrency.Effort;
import dev.resilience.concurrency.Threads;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LastGoodValueTests {

    private static final int MAX_KEYS = 4;

    private final ManualTimeSource time = new ManualTimeSource();
    private final LastGoodValue<String, Integer> prices = new LastGoodValue<>(MAX_KEYS, Duration.ofMinutes(10), time);

    @Test
    void itGivesWhatWasRememberedLast() {
        assertThat(prices.find("apple")).isEmpty();

        assertThat(prices.remember("apple", 3)).isEqualTo(3);
        assertThat(prices.remember("apple", 4)).isEqualTo(4);
        prices.remember("pear", 9);

        assertThat(prices.find("apple")).contains(4);
        assertThat(prices.orThrow("apple", new IOException("down"))).isEqualTo(4);
    }

    @Test
    void theFailureIsThrownAsItIsWhereNothingIsRemembered() {
        IOException failure = new IOException("down");

        assertThat(catchThrowable(() -> prices.orThrow("apple", failure))).isSameAs(failure);
    }

    @Test
    void aValueIsGivenOutUntilItIsTooOld() {
        prices.remember("apple", 3);

        time.advance(Duration.ofMinutes(10));
        assertThat(prices.find("apple")).contains(3);

        time.advance(Duration.ofNanos(1));
        assertThat(prices.find("apple")).isEmpty();

        prices.remember("apple", 4);
        assertThat(prices.find("apple")).contains(4);
    }

    @Test
    void beingAskedForDoesNotMakeAValueYounger() {
        prices.remember("apple", 3);
        time.advance(Duration.ofMinutes(6));
        prices.find("apple");
        time.advance(Duration.ofMinutes(6));

        assertThat(prices.find("apple")).isEmpty();
    }

    @Test
    void withoutAMaximumAgeAValueIsGoodForEver() {
        LastGoodValue<String, Integer> forEver = new LastGoodValue<>(MAX_KEYS, null, time);
        forEver.remember("apple", 3);
        time.advance(Duration.ofDays(100_000));

        assertThat(forEver.find("apple")).contains(3);
    }

    @Test
    void anAgeThatNeverComesIsNoOverflow() {
        LastGoodValue<String, Integer> forEver =
                new LastGoodValue<>(MAX_KEYS, Duration.ofSeconds(Long.MAX_VALUE), time);
        forEver.remember("apple", 3);

        assertThat(forEver.find("apple")).contains(3);
    }

    @Test
    void nullSaysThatTheOlderValueIsNoLongerTrue() {
        prices.remember("apple", 3);

        assertThat(prices.<Integer>remember("apple", null)).isNull();
        assertThat(prices.find("apple")).isEmpty();
        assertThat(prices.<Integer>remember("unknown", null)).isNull();

        prices.remember("apple", 4);
        assertThat(prices.find("apple")).contains(4);
    }

    @Test
    void whatIsForgottenIsNotGivenOut() {
        prices.remember("apple", 3);

        prices.forget("apple");
        prices.forget("unknown");

        assertThat(prices.find("apple")).isEmpty();
    }

    @Test
    void aNewKeyTakesThePlaceOfOneThatWasNotUsedLately() {
        remember("a", "b", "c", "d");
        prices.find("a");
        prices.remember("b", 2);

        remember("e");

        assertThat(known("a", "b", "c", "d", "e")).isEqualTo("abde");
    }

    @Test
    void itKeepsNoMoreKeysThanItMayWhenAllAreInUse() {
        remember("a", "b", "c", "d");
        remember("a", "b", "c", "d");

        remember("e");

        assertThat(known("a", "b", "c", "d", "e")).isEqualTo("bcde");
    }

    @Test
    void keysThatAreForgottenAndComeAgainTakeNoMoreRoom() {
        remember("a", "b", "c");
        for (int i = 0; i < 100; i++) {
            remember("d");
            prices.forget("d");
        }
        remember("d");

        assertThat(known("a", "b", "c", "d")).isEqualTo("abcd");
    }

    @Test
    void theOnlyKeyGivesWayToTheNextOne() {
        LastGoodValue<String, Integer> one = new LastGoodValue<>(1);
        one.remember("a", 1);
        one.remember("a", 1);
        one.remember("b", 2);

        assertThat(one.find("a")).isEmpty();
        assertThat(one.find("b")).contains(2);
    }

    @Test
    void manyThreadsKeepTheBoundAndGetOnlyValuesOfTheirKeys() {
        LastGoodValue<Integer, Integer> squares = new LastGoodValue<>(50);
        AtomicInteger wrong = new AtomicInteger();
        Runnable caller = () -> {
            for (int i = 0; i < Effort.of(20_000, 1_000_000); i++) {
                int key = (i * 31) % 97;
                squares.remember(key, key * key);
                if (squares.find((i * 17) % 97)
                        .filter(value -> !isSquareBelow97(value))
                        .isPresent()) {
                    wrong.incrementAndGet();
                }
                if (i % 13 == 0) {
                    squares.forget(key);
                }
            }
        };

        Threads.NEW.run(caller, caller, caller, caller);
        IntStream.range(0, 97).forEach(key -> squares.remember(key, key * key));

        assertThat(wrong).hasValue(0);
        assertThat(IntStream.range(0, 97).filter(key -> squares.find(key).isPresent()))
                .hasSize(50);
    }

    @Test
    void boundsThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LastGoodValue<>(0))
                .withMessage("maxKeys is 0, but must be at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LastGoodValue<>(1, Duration.ZERO))
                .withMessage("maxAge is PT0S, but must be longer than zero");
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without the check does
    void aKeyMustNotBeNull() {
        assertThatNullPointerException()
                .isThrownBy(() -> prices.remember(null, 1))
                .withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> prices.find(null)).withMessage("key");
    }

    private static boolean isSquareBelow97(int value) {
        int root = (int) Math.round(Math.sqrt(value));
        return root * root == value && root < 97;
    }

    private void remember(String... keys) {
        for (String key : keys) {
            prices.remember(key, 1);
        }
    }

    private String known(String... keys) {
        StringBuilder known = new StringBuilder();
        for (String key : keys) {
            prices.find(key).ifPresent(value -> known.append(key));
        }
        return known.toString();
    }
}
