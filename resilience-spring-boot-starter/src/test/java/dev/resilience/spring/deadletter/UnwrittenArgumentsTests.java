package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Why the arguments of a call could not be written before it began, as the log tells it when the call runs out. */
class UnwrittenArgumentsTests {

    @SuppressWarnings("NullAway") // nothing of the method is looked at
    private static final DeadLetterMethod METHOD = new DeadLetterMethod(null, null, "A.b()", null, true, null);

    private static void makeLetter(Throwable unwritable) {
        METHOD.letter(() -> null, unwritable, 3, null);
    }

    @Test
    void aMessageIsToldAsItIs() {
        assertThatThrownBy(() -> makeLetter(new IllegalArgumentException("An argument cannot be written")))
                .hasMessage("An argument cannot be written");
    }

    @Test
    void anErrorWithoutAMessageIsToldByItsClass() {
        assertThatThrownBy(() -> makeLetter(new StackOverflowError()))
                .hasMessage("the arguments cannot be written: java.lang.StackOverflowError");
    }
}
