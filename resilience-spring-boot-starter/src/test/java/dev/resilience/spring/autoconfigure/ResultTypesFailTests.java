package dev.resilience.spring.autoconfigure;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.resilience.annotation.Idempotent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** {@code @Idempotent} methods whose stored result could not be read back. */
class ResultTypesFailTests extends FailingStartup {

    private static final String CURE = "Return a class that Jackson can read, or name one: @Idempotent(resultType = ";

    private void failsFor(Class<?> bean, String type, String why) {
        fail(bean)
                .blames(bean, "pay(java.lang.String)")
                .says("could not be read back as " + type, why)
                .advises(CURE);
    }

    @Test
    void object() {
        failsFor(ReturnsObject.class, "java.lang.Object", "nothing says which class it is");
    }

    @Test
    void anInterface() {
        failsFor(ReturnsInterface.class, Receipt.class.getName(), "is an interface");
    }

    @Test
    void anAbstractClass() {
        failsFor(ReturnsAbstract.class, AbstractReceipt.class.getName(), "is abstract");
    }

    @Test
    void aListOfAnything() {
        failsFor(ReturnsWildcard.class, "java.util.List<?>", "nothing says which class its elements are");
    }

    @Test
    @SuppressWarnings("rawtypes") // what it is about
    void aListOfNothingInParticular() {
        failsFor(ReturnsRawList.class, "java.util.List", "nothing says which class its elements are");
    }

    @Test
    void aMapOfObjects() {
        failsFor(
                ReturnsMap.class,
                "java.util.Map<java.lang.String, java.lang.Object>",
                "nothing says which class its elements are");
    }

    @Test
    void aMapWithKeysThatJacksonCannotRead() {
        failsFor(ReturnsMapByRecord.class, "java.util.Map", Circle.class.getName());
    }

    @Test
    void anOptionalInterface() {
        failsFor(ReturnsOptional.class, "java.util.Optional", Receipt.class.getName() + " is an interface");
    }

    @Test
    void aTypeVariable() {
        failsFor(ReturnsVariable.class, "T", "nothing says which class it is");
    }

    @Test
    void aClassThatJacksonCannotMake() {
        failsFor(ReturnsUnmakeable.class, Unmakeable.class.getName(), "no Creators, like default constructor, exist");
    }

    @Test
    void aClassWithAPartThatJacksonCannotMake() {
        failsFor(ReturnsPart.class, Envelope.class.getName(), Receipt.class.getName() + " is an interface");
    }

    @Test
    void insideAFuture() {
        failsFor(ReturnsFuture.class, "java.lang.Object", "nothing says which class it is");
    }

    @Test
    void aResultTypeThatTheMethodDoesNotReturn() {
        fail(WrongResultType.class)
                .blames(WrongResultType.class, "pay(java.lang.String)")
                .says("returns java.lang.Number, which its resultType java.lang.String is not")
                .advises("Give a resultType that the method may return.");
    }

    @Nested
    class IsCuredBy {

        @Test
        void aResultType() {
            start("", Cured.class).close();
        }

        @Test
        void typeInformationOfTheInterface() {
            start("", Typed.class).close();
        }
    }

    interface Receipt {

        String text();
    }

    abstract static class AbstractReceipt {}

    record PaperReceipt(String text) implements Receipt {}

    record Envelope(String address, List<Receipt> receipts) {}

    static class Unmakeable {

        private final String text;

        Unmakeable(StringBuilder text, int from, int to) {
            this.text = text.substring(from, to);
        }

        public String getText() {
            return text;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(Circle.class))
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    static class ReturnsObject {

        @Idempotent(key = "#order")
        Object pay(String order) {
            return order;
        }
    }

    static class ReturnsInterface {

        @Idempotent(key = "#order")
        Receipt pay(String order) {
            return new PaperReceipt(order);
        }
    }

    static class ReturnsAbstract {

        @Idempotent(key = "#order")
        AbstractReceipt pay(String order) {
            return new AbstractReceipt() {};
        }
    }

    static class ReturnsWildcard {

        @Idempotent(key = "#order")
        List<?> pay(String order) {
            return List.of(order);
        }
    }

    @SuppressWarnings("rawtypes") // what it is about
    static class ReturnsRawList {

        @Idempotent(key = "#order")
        List pay(String order) {
            return List.of(order);
        }
    }

    static class ReturnsMap {

        @Idempotent(key = "#order")
        Map<String, Object> pay(String order) {
            return Map.of("order", order);
        }
    }

    static class ReturnsMapByRecord {

        @Idempotent(key = "#order")
        Map<Circle, String> pay(String order) {
            return Map.of(new Circle(1), order);
        }
    }

    static class ReturnsOptional {

        @Idempotent(key = "#order")
        Optional<Receipt> pay(String order) {
            return Optional.of(new PaperReceipt(order));
        }
    }

    static class ReturnsVariable {

        @Idempotent(key = "#order")
        @SuppressWarnings("TypeParameterUnusedInFormals") // what it is about
        <T> T pay(String order) {
            throw new IllegalStateException(order);
        }
    }

    static class ReturnsUnmakeable {

        @Idempotent(key = "#order")
        Unmakeable pay(String order) {
            return new Unmakeable(new StringBuilder(order), 0, 1);
        }
    }

    static class ReturnsPart {

        @Idempotent(key = "#order")
        Envelope pay(String order) {
            return new Envelope("here", List.of(new PaperReceipt(order)));
        }
    }

    static class ReturnsFuture {

        @Idempotent(key = "#order")
        CompletableFuture<Object> pay(String order) {
            return CompletableFuture.completedFuture(order);
        }
    }

    static class WrongResultType {

        @Idempotent(key = "#order", resultType = String.class)
        Number pay(String order) {
            return order.length();
        }
    }

    static class Cured {

        @Idempotent(key = "#order", resultType = PaperReceipt.class)
        Receipt pay(String order) {
            return new PaperReceipt(order);
        }
    }

    static class Typed {

        @Idempotent(key = "#order")
        Shape draw(String order) {
            return new Circle(order.length());
        }

        @Idempotent(key = "#order")
        Collection<Shape> drawAll(String order) {
            return List.of(new Circle(order.length()));
        }
    }
}
