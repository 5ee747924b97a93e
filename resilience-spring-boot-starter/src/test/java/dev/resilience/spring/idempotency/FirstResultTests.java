package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.Json.ResultCodec;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.json.JsonMapper;

/** The first result of a class is read back at once, and not kept if it is another one then. */
class FirstResultTests {

    private static final Json JSON = new Json(JsonMapper::new);

    private static ResultCodec codec(Class<?> type, Class<?>... generics) {
        return JSON.codec(
                generics.length == 0
                        ? ResolvableType.forClass(type)
                        : ResolvableType.forClassWithGenerics(type, generics));
    }

    @Test
    void whatIsWrittenAndNeverReadIsRefused() {
        ResultCodec tickets = codec(Ticket.class);
        for (int i = 0; i < 2; i++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> tickets.write(new Ticket("show", 7)))
                    .withMessageContaining(Ticket.class.getName() + " cannot be kept");
        }
        Account account = new Account();
        account.setNumber("1234");
        assertThatIllegalStateException().isThrownBy(() -> codec(Account.class).write(account));
        assertThatIllegalStateException()
                .isThrownBy(() -> codec(List.class, Ticket.class).write(List.of(new Ticket("show", 7))));
    }

    @Test
    void anEmptyListProvesNothingOfItsElements() {
        ResultCodec tickets = codec(List.class, Ticket.class);
        tickets.write(List.of());
        assertThatIllegalStateException().isThrownBy(() -> tickets.write(List.of(new Ticket("show", 7))));
    }

    @Test
    void whatIsWorkedOutIsNoLoss() {
        ResultCodec calls = codec(Call.class);
        byte[] written = calls.write(new Call("k"));
        assertThat(calls.read(written)).isEqualTo(new Call("k"));
    }

    /** Read back as a decimal, which has other digits. */
    @Test
    void anotherTextOfANumberIsNoLoss() {
        ResultCodec maps = codec(Map.class, String.class, Object.class);
        assertThat(maps.read(maps.write(Map.of("amount", 12345678.9))))
                .isEqualTo(Map.of("amount", new BigDecimal("12345678.9")));
    }

    @Test
    void anotherOrderOfASetIsNoLoss() {
        Set<String> wide = new HashSet<>(1 << 12);
        for (int i = 0; i < 200; i++) {
            wide.add("element " + i);
        }
        ResultCodec words = codec(Words.class);
        assertThat(words.read(words.write(new Words(new HashSet<>(wide))))).isEqualTo(new Words(new HashSet<>(wide)));
        assertThat(codec(Words.class).write(new Words((HashSet<String>) wide))).isNotEmpty();
    }

    record Ticket(
            String show,
            @JsonProperty(access = Access.READ_ONLY) int number) {}

    public static class Account {

        @JsonProperty(value = "iban", access = Access.READ_ONLY)
        private String number = "";

        public String getNumber() {
            return number;
        }

        public void setNumber(String number) {
            this.number = number;
        }
    }

    record Call(String key) {

        private static final AtomicInteger ASKED = new AtomicInteger();

        @JsonProperty
        int asked() {
            return ASKED.incrementAndGet();
        }
    }

    record Words(HashSet<String> all) {}
}
