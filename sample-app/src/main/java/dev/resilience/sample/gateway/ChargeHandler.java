package dev.resilience.sample.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers {@code POST /charges} as the behaviour in force says. As real gateways do, it charges once for all calls with
 * one {@code Idempotency-Key}, and counts the repeated ones.
 */
final class ChargeHandler implements HttpHandler {

    private static final BigDecimal LIMIT = new BigDecimal(10_000);

    private final BehaviourSwitch behaviour;
    private final Ledger ledger;
    private final JsonMapper json;

    ChargeHandler(BehaviourSwitch behaviour, Ledger ledger, JsonMapper json) {
        this.behaviour = behaviour;
        this.ledger = ledger;
        this.json = json;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            respond(exchange);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void respond(HttpExchange exchange) throws IOException, InterruptedException {
        byte[] request = exchange.getRequestBody().readAllBytes();
        Behaviour now = behaviour.current();
        if (!now.hang().isZero()) {
            behaviour.pause(now.hang());
            return;
        }
        behaviour.pause(now.latency());
        if (now.rateLimited()) {
            exchange.getResponseHeaders().set("Retry-After", Integer.toString(now.retryAfterSeconds()));
            send(exchange, 429, "Too many calls");
        } else if (behaviour.isOverloaded() || behaviour.nextCallFails()) {
            send(exchange, 503, "Out of order");
        } else {
            charge(exchange, request);
        }
    }

    private void charge(HttpExchange exchange, byte[] request) throws IOException {
        Charge charge = read(request);
        BigDecimal amount = charge == null ? null : charge.amount();
        if (charge == null || amount == null) {
            send(exchange, 400, "Nothing to charge");
        } else if (amount.compareTo(LIMIT) > 0) {
            send(exchange, 402, "Card declined");
        } else {
            String paymentId =
                    ledger.charge(exchange.getRequestHeaders().getFirst("Idempotency-Key"), charge.order(), amount);
            if (paymentId == null) {
                send(exchange, 422, "The key belongs to a charge of another amount");
            } else if (!behaviour.nextAnswerIsLost()) {
                send(exchange, 201, Map.of("paymentId", paymentId));
            } // otherwise the connection is closed without an answer
        }
    }

    private @Nullable Charge read(byte[] request) {
        try {
            return json.readValue(request, Charge.class);
        } catch (JacksonException unreadable) {
            return null;
        }
    }

    private void send(HttpExchange exchange, int status, String error) throws IOException {
        send(exchange, status, Map.of("error", error));
    }

    private void send(HttpExchange exchange, int status, Map<String, String> answer) throws IOException {
        byte[] body = json.writeValueAsBytes(answer);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        // One connection a call: when the gateway starts to refuse connections, the very next call notices.
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private record Charge(
            @Nullable BigDecimal amount, @Nullable String order) {}
}
