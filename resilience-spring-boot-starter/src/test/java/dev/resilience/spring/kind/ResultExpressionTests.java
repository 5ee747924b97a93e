package dev.resilience.spring.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which results ask for another attempt. */
class ResultExpressionTests {

    private static boolean asks(String expression, @Nullable Object result) {
        return new ResultExpression(expression).test(result);
    }

    @Test
    void readsPropertiesAndCallsMethods() {
        assertThat(asks("#result.status == 'PENDING'", new Answer("PENDING", List.of())))
                .isTrue();
        assertThat(asks("#result.status == 'PENDING'", new Answer("DONE", List.of())))
                .isFalse();
        assertThat(asks("#result.items.isEmpty()", new Answer("DONE", List.of())))
                .isTrue();
        assertThat(asks("#result.items.?[#this == 'x'].size() == 1", new Answer("DONE", List.of("x", "y"))))
                .isTrue();
    }

    @Test
    void mayAskForNull() {
        assertThat(asks("#result == null", null)).isTrue();
        assertThat(asks("#result == null", "paid")).isFalse();
        assertThat(asks("#result?.status == 'PENDING'", null)).isFalse();
    }

    @Test
    void mayBeTheResultItself() {
        assertThat(asks("#result", true)).isTrue();
        assertThat(asks("!#result", true)).isFalse();
        assertThat(asks("#result", null)).isFalse();
    }

    @Test
    void cannotChangeAnything() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ResultExpression("#result.status = 'x'"))
                .withMessageContaining("'#result.status='x'' is not available here");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.Runtime).getRuntime() == #result",
                "new java.io.File('/') == #result",
                "@beans == #result"
            })
    void canDoNothingElse(String expression) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ResultExpression(expression))
                .withMessageContaining("is not available here");
    }

    record Answer(String status, List<String> items) {}
}
