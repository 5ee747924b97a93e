package dev.resilience.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Attempts of one call have the same keys for the same requests. */
class SentKeysTests {

    @BeforeAll
    static void remember() {
        Attempt.rememberKeys();
    }

    @Test
    void equalRequestsAreToldApartByTheirOrder() {
        Attempt first = Attempt.of("orders", 1, null);
        List<String> keys = List.of(first.keyFor("a"), first.keyFor("b"), first.keyFor("a"));
        Attempt second = first.again(2);

        assertThat(new HashSet<>(keys)).hasSize(3);
        assertThat(second.keyFor("b")).isEqualTo(keys.get(1));
        assertThat(List.of(second.keyFor("a"), second.keyFor("a"))).containsExactly(keys.get(0), keys.get(2));
        assertThat(Attempt.of("orders", 1, null).keyFor("a")).isNotIn(keys);
    }

    @Test
    void retriesInsideAnAttemptAreToldApartByTheirOrder() {
        Attempt outer = Attempt.of("outer", 1, null);
        Attempt one = Attempt.of("inner", 1, outer);
        Attempt two = Attempt.of("inner", 1, outer);
        String ofOne = one.keyFor("a");
        String ofTwo = two.keyFor("a");
        assertThat(Set.of(ofOne, ofTwo, outer.keyFor("a"))).hasSize(3);
        assertThat(one.again(2).keyFor("a")).isEqualTo(ofOne);

        Attempt outerAgain = outer.again(2);
        Attempt oneAgain = Attempt.of("inner", 1, outerAgain);
        assertThat(oneAgain.keyFor("a")).isEqualTo(ofOne);
        assertThat(Attempt.of("inner", 1, outerAgain).again(2).keyFor("a")).isEqualTo(ofTwo);
        assertThat(oneAgain.keyFor("a")).isNotIn(ofOne, ofTwo);
    }

    @Test
    void requestsThatAreSentAtOnceHaveKeysOfTheirOwn() {
        Attempt first = Attempt.of("orders", 1, null);
        Attempt second = first.again(2);

        assertThat(hundred(first)).hasSize(100).isEqualTo(hundred(second));
    }

    private static Set<String> hundred(Attempt attempt) {
        return IntStream.range(0, 100)
                .parallel()
                .mapToObj(i -> attempt.keyFor("a"))
                .collect(HashSet::new, Set::add, Set::addAll);
    }
}
