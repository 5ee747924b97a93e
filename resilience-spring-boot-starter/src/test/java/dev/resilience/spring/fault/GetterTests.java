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
class GetterTests {

    @Test
    void callsAPublicMethodOfAPublicClass() {
        assertThat(new Getter("getMessage").of(new IOException("why"))).isEqualTo("why");
        assertThat(new Getter("size").of(new ArrayList<>(List.of("a")))).isEqualTo(1);
        assertThat(new Getter("isEmpty").of("")).isEqualTo(true);
    }

    @Test
    void passesStringsOn() {
        assertThat(new Getter("concat", "b").of("a")).isEqualTo("ab");
    }

    @Test
    void findsWhatAHiddenClassInheritsFromAPublicOne() {
        assertThat(new Getter("getMessage").of(new IOException("why") {})).isEqualTo("why");
    }

    @Test
    void findsWhatAHiddenClassImplementsOfAPublicInterface() {
        assertThat(new Getter("size").of(List.of("a"))).isEqualTo(1);
        assertThat(new Getter("getKey").of(Map.entry("key", "value"))).isEqualTo("key");
    }

    @Test
    void knowsNothingWhereThereIsNoSuchMethod() {
        assertThat(new Getter("getStatus").of("text")).isNull();
        assertThat(new Getter("charAt").of("text")).as("with other parameters").isNull();
        assertThat(new Getter("empty").of(Optional.of(1))).as("static").isNull();
    }

    @Test
    void knowsNothingOfNothing() {
        assertThat(new Getter("getStatus").of(null)).isNull();
    }

    @Test
    void throwsWhatTheMethodThrows() {
        Getter next = new Getter("next");

        assertThatThrownBy(() -> next.of(List.of().iterator())).isInstanceOf(NoSuchElementException.class);
    }
}
