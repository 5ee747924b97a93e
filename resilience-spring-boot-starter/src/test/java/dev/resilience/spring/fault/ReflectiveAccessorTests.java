package dev.resilience.spring.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Methods that are called by name: the library's class may be anything, or of another version than expected. */
class ReflectiveAccessorTests {

    @Test
    void callsAPublicMethodOfAPublicClass() {
        assertThat(new ReflectiveAccessor("getMessage").of(new IOException("why")))
                .isEqualTo("why");
        assertThat(new ReflectiveAccessor("size").of(new ArrayList<>(List.of("a"))))
                .isEqualTo(1);
        assertThat(new ReflectiveAccessor("isEmpty").of("")).isEqualTo(true);
    }

    @Test
    void passesStringsOn() {
        assertThat(new ReflectiveAccessor("concat", "b").of("a")).isEqualTo("ab");
    }

    @Test
    void findsWhatAHiddenClassInheritsFromAPublicOne() {
        assertThat(new ReflectiveAccessor("getMessage").of(new IOException("why") {}))
                .isEqualTo("why");
    }

    @Test
    void findsWhatAHiddenClassImplementsOfAPublicInterface() {
        assertThat(new ReflectiveAccessor("size").of(List.of("a"))).isEqualTo(1);
        assertThat(new ReflectiveAccessor("getKey").of(Map.entry("key", "value")))
                .isEqualTo("key");
    }

    @Test
    void knowsNothingWhereThereIsNoSuchMethod() {
        assertThat(new ReflectiveAccessor("getStatus").of("text")).isNull();
        assertThat(new ReflectiveAccessor("charAt").of("text"))
                .as("with other parameters")
                .isNull();
        assertThat(new ReflectiveAccessor("empty").of(Optional.of(1)))
                .as("static")
                .isNull();
    }

    @Test
    void knowsNothingOfNothing() {
        assertThat(new ReflectiveAccessor("getStatus").of(null)).isNull();
    }

    @Test
    void throwsWhatTheMethodThrows() {
        ReflectiveAccessor next = new ReflectiveAccessor("next");

        assertThatThrownBy(() -> next.of(List.of().iterator())).isInstanceOf(NoSuchElementException.class);
    }
}
