package dev.resilience.spring.idempotency;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.resilience.annotation.Idempotent;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.security.Principal;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import tools.jackson.databind.JsonNode;

/** Calls that are compared by their arguments. */
class Payments {

    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<Integer> pending = new CompletableFuture<>();

    AtomicInteger calls() {
        return calls;
    }

    CompletableFuture<Integer> pending() {
        return pending;
    }

    @Idempotent(key = "#key")
    int pay(String key, Order order, List<String> items) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int payAs(String key, Principal payer) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int payFor(String key, @AuthenticationPrincipal User payer, @CurrentUser Object user) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int payMap(String key, Map<String, Object> items) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int payMap(String key, Map<String, Object> items, int times) {
        return calls.addAndGet(times);
    }

    @Idempotent(key = "#key")
    int payFrom(String key, Collection<Payer> payers) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int run(String key, Command command) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int runAny(String key, Object command) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int runNamed(String key, Named command) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int runAll(String key, List<? extends Command> commands) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int payTree(String key, JsonNode tree) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int drain(String key, List<String> items) {
        items.clear();
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    CompletableFuture<Integer> payLater(String key, List<String> items) {
        calls.incrementAndGet();
        return pending;
    }

    @Idempotent(key = "#key")
    int charge(String key, Charge charge) {
        return calls.incrementAndGet();
    }

    @Idempotent(key = "#key")
    int transfer(String key, String from, String to, Long amount, Boolean urgent) {
        return calls.incrementAndGet();
    }

    static Order order() {
        return new Order(new Money(new BigDecimal("10.50"), "EUR"), Instant.EPOCH, Optional.empty());
    }

    @Target(ElementType.PARAMETER)
    @Retention(RetentionPolicy.RUNTIME)
    @AuthenticationPrincipal
    @interface CurrentUser {}

    record User(String name, List<String> roles) {}

    record Point(int x, int y) {}

    record Money(BigDecimal amount, String currency) {}

    record Order(Money price, Instant at, Optional<String> note) {}

    record Charge(
            int amount,
            @JsonProperty(access = Access.WRITE_ONLY) String cardNumber) {}

    sealed interface Command {}

    record Pay(String id) implements Command {}

    record Refund(String id) implements Command {}

    interface Named {

        String getName();
    }

    record Callback(Supplier<String> code) implements Named {

        @Override
        public String getName() {
            return code.get();
        }
    }

    /** Holds nothing. */
    enum Stop implements Command {
        NOW
    }

    static final class Nothing implements Command {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Account.class), @JsonSubTypes.Type(Card.class)})
    sealed interface Payer {}

    record Account(@JsonValue String number) implements Payer {}

    record Card(@JsonValue String number) implements Payer {}
}
