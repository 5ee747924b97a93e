package dev.resilience.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExceptionRulesTests {

    @Test
    void withoutRulesThereIsNoVerdict() {
        assertThat(rules(List.of(), List.of()).verdict(new IOException())).isNull();
        assertThat(rules(List.of(), List.of()).verdict(new Error())).isNull();
    }

    @Test
    void whatNeitherListMatchesGetsNoVerdict() {
        ExceptionRules rules = rules(List.of(IOException.class), List.of(IllegalStateException.class));

        assertThat(rules.verdict(new IllegalArgumentException())).isNull();
        assertThat(rules.verdict(new IllegalArgumentException(new RuntimeException())))
                .isNull();
    }

    @Test
    void aListedClassStandsForItsSubclasses() {
        assertThat(rules(List.of(IOException.class), List.of()).verdict(new ConnectException()))
                .isTrue();
        assertThat(rules(List.of(), List.of(IOException.class)).verdict(new ConnectException()))
                .isFalse();
        assertThat(rules(List.of(ConnectException.class), List.of()).verdict(new SocketException()))
                .isNull();
    }

    @Test
    void theClosestClassWins() {
        ExceptionRules rules = rules(
                List.of(IOException.class, ConnectException.class), List.of(Exception.class, SocketException.class));

        assertThat(rules.verdict(new ConnectException())).isTrue();
        assertThat(rules.verdict(new SocketException())).isFalse();
        assertThat(rules.verdict(new FileNotFoundException())).isTrue();
        assertThat(rules.verdict(new RuntimeException())).isFalse();
    }

    @Test
    void aClassInBothListsDoesNotCount() {
        ExceptionRules rules = rules(List.of(IOException.class), List.of(IOException.class));

        assertThat(rules.verdict(new IOException())).isFalse();
        assertThat(rules.verdict(new ConnectException())).isFalse();
    }

    @Test
    void theExceptionItselfGoesBeforeItsCauses() {
        ExceptionRules rules = rules(List.of(RuntimeException.class), List.of(ConnectException.class));

        assertThat(rules.verdict(new IllegalStateException(new ConnectException())))
                .isTrue();
    }

    @Test
    void theCauseDecidesWhereNoListedClassMatchesTheException() {
        ExceptionRules rules = rules(List.of(SocketException.class), List.of(FileNotFoundException.class));

        assertThat(rules.verdict(new RuntimeException(new ConnectException()))).isTrue();
        assertThat(rules.verdict(new RuntimeException(new RuntimeException(new FileNotFoundException()))))
                .isFalse();
    }

    @Test
    void errorsCanBeListed() {
        assertThat(rules(List.of(StackOverflowError.class), List.of()).verdict(new StackOverflowError()))
                .isTrue();
        assertThat(rules(List.of(Throwable.class), List.of()).verdict(new OutOfMemoryError()))
                .isTrue();
    }

    @Test
    void withinAHierarchyMoreGeneralClassesAreLeftOut() {
        ExceptionRules rules = rules(
                List.of(IOException.class, ConnectException.class), List.of(Exception.class, SocketException.class));

        assertThat(rules.within(SocketException.class))
                .isEqualTo(rules(List.of(ConnectException.class), List.of(SocketException.class)));
        assertThat(rules.within(RuntimeException.class)).isEqualTo(rules(List.of(), List.of()));
    }

    @Test
    void theListsAreCopied() {
        List<Class<? extends Throwable>> included = new ArrayList<>(List.of(IOException.class));
        ExceptionRules rules = new ExceptionRules(included, List.of());

        included.clear();

        assertThat(rules.verdict(new IOException())).isTrue();
    }

    private static ExceptionRules rules(
            List<Class<? extends Throwable>> included, List<Class<? extends Throwable>> excluded) {
        return new ExceptionRules(included, excluded);
    }
}
