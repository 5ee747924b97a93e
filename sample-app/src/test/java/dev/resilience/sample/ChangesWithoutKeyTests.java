package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.sample.Shop.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Changes of an order that happen once although they are called twice, and that need no key for it. */
@ShopTest
class ChangesWithoutKeyTests {

    private static final int CALLS = 8;

    private final Shop shop;
    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;

    ChangesWithoutKeyTests(
            @LocalServerPort int port, @Autowired JdbcClient jdbc, @Autowired TransactionTemplate transaction) {
        this.shop = new Shop(port);
        this.jdbc = jdbc;
        this.transaction = transaction;
    }

    @BeforeEach
    void startAfresh() {
        shop.startAfresh();
    }

    @Test
    void anExchangeThatIsRepeatedIsRefusedBecauseTheOrderHasAnotherVersion() {
        String order = place("repeated");

        Answer first = shop.startExchange(order, "Blue teapot", "\"1\"").join();
        Answer second = shop.startExchange(order, "Blue teapot", "\"1\"").join();

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.eTag()).isEqualTo("\"2\"");
        assertThat(first.text("/item")).isEqualTo("Blue teapot");
        assertThat(second.status()).isEqualTo(412);
        assertThat(second.contentType()).isEqualTo("application/problem+json");
        assertThat(shop.get(order).eTag()).isEqualTo("\"2\"");
    }

    @Test
    void aLateRepetitionDoesNotUndoWhatAnotherHasChanged() {
        String order = place("late");
        shop.startExchange(order, "Blue teapot", "\"1\"").join();
        shop.startExchange(order, "Red teapot", "\"2\"").join();

        Answer late = shop.startExchange(order, "Blue teapot", "\"1\"").join();

        assertThat(late.status()).isEqualTo(412);
        assertThat(shop.get(order).text("/item")).isEqualTo("Red teapot");
    }

    @Test
    void ofManyExchangesOfOneVersionOneIsMade() {
        String order = place("exchanged by many");

        List<Answer> answers = atOnce(i -> shop.startExchange(order, "Teapot no. " + i, "\"1\""));

        assertThat(answers).extracting(Answer::status).containsOnlyOnce(200).containsOnly(200, 412);
        Answer made = answers.stream()
                .filter(answer -> answer.status() == 200)
                .findFirst()
                .orElseThrow();
        assertThat(shop.get(order).body()).isEqualTo(made.body());
        assertThat(made.eTag()).isEqualTo("\"2\"");
    }

    @Test
    void anExchangeMustSayOfWhichVersion() {
        String order = place("without a version");

        assertThat(shop.patch(order, "{\"item\":\"Blue teapot\"}").status()).isEqualTo(428);

        assertThat(shop.get(order).text("/item")).isEqualTo("Teapot");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"2\"", "\"01\"", "\"one\"", "\"99999999999999999999\"", "W/\"1\"", "*", "1", ""})
    void noOtherTextIsTheVersion(String ifMatch) {
        String order = place("not " + ifMatch.replaceAll("\\W", "-"));

        assertThat(shop.startExchange(order, "Blue teapot", ifMatch).join().status())
                .isEqualTo(412);

        assertThat(shop.get(order).text("/item")).isEqualTo("Teapot");
    }

    @Test
    void anItemMayHaveALongName() {
        String order = place("long name");

        assertThat(shop.startExchange(order, "Teapot ".repeat(100), "\"1\"")
                        .join()
                        .status())
                .isEqualTo(200);
    }

    @Test
    void anOrderOnInvoiceIsPaidOnceAndBothCallersSeeItPaid() {
        String order = placeOnInvoice("invoice");

        Answer first = shop.startPayment(order).join();
        Answer second = shop.startPayment(order).join();

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.text("/state")).isEqualTo("PAID");
        assertThat(first.eTag()).isEqualTo("\"2\"");
        assertThat(second).isEqualTo(first);
        assertThat(shop.charges()).isZero();
    }

    @Test
    void manyWhoPayAnOrderAtOncePayItOnceAndAllSeeItPaid() {
        String order = placeOnInvoice("invoice that many pay");

        List<Answer> answers = atOnce(i -> shop.startPayment(order));

        assertThat(answers).allSatisfy(answer -> {
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text("/state")).isEqualTo("PAID");
            assertThat(answer.eTag()).isEqualTo("\"2\"");
        });
    }

    @Test
    void anOrderThatTheGatewayHasPaidStaysAsItIs() {
        String order = place("paid by the gateway");

        Answer paid = shop.startPayment(order).join();

        assertThat(paid.text("/state")).isEqualTo("PAID");
        assertThat(paid.eTag()).isEqualTo("\"1\"");
    }

    @Test
    void anOrderThatDoesNotExistIsNeitherExchangedNorPaid() {
        assertThat(shop.startExchange("/orders/0", "Blue teapot", "\"1\"")
                        .join()
                        .status())
                .isEqualTo(412);
        assertThat(shop.startPayment("/orders/0").join().status()).isEqualTo(404);
    }

    @Test
    void anOrderOnInvoiceThatIsSentTwiceIsStoredOnce() {
        assertThat(placeOnInvoice("sent twice")).isEqualTo(placeOnInvoice("sent twice"));
    }

    private String place(String key) {
        return pathOf(shop.order(key));
    }

    private String placeOnInvoice(String key) {
        Answer placed = shop.orderOnInvoice(key);
        assertThat(placed.text("/state")).isEqualTo("PENDING");
        return pathOf(placed);
    }

    private static String pathOf(Answer placed) {
        assertThat(placed.status()).isEqualTo(201);
        return "/orders/" + placed.text("/id");
    }

    /** Holds the orders until each call waits to change them, so that all have begun before the first one changes any. */
    private List<Answer> atOnce(IntFunction<CompletableFuture<Answer>> call) {
        List<CompletableFuture<Answer>> calls = transaction.execute(status -> {
            jdbc.sql("SELECT * FROM orders FOR UPDATE").query().listOfRows();
            List<CompletableFuture<Answer>> begun =
                    IntStream.range(0, CALLS).mapToObj(call).toList();
            await().pollInSameThread().until(() -> waitingStatements() == CALLS);
            return begun;
        });
        return calls.stream().map(CompletableFuture::join).toList();
    }

    private int waitingStatements() {
        return jdbc.sql("SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL")
                .query(Integer.class)
                .single();
    }
}
