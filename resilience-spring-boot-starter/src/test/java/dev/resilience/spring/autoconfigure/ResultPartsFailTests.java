package dev.resilience.spring.autoconfigure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import dev.resilience.annotation.Idempotent;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import tools.jackson.databind.JsonNode;

/** {@code @Idempotent} methods whose stored result could be read back, but as something else than it was. */
class ResultPartsFailTests extends FailingStartup {

    private void failsFor(Class<?> bean, String why) {
        fail(bean)
                .blames(bean, "pay(java.lang.String)")
                .says("could not be read back", why)
                .advises("name one: @Idempotent(resultType = ");
    }

    @Test
    void headers() {
        failsFor(ReturnsEntity.class, "its headers would be lost; return a ResponseEntity");
    }

    @Test
    void classesWithoutAnythingThatJsonShows() {
        failsFor(ReturnsBlank.class, Blank.class.getName() + " would come back without anything in it");
    }

    @Test
    void propertiesThatAreNeverWritten() {
        failsFor(ReturnsLogin.class, "'pin' of " + Login.class.getName() + " would be read, but is never written");
    }

    @Test
    void classesOfWhichNothingIsRead() {
        failsFor(ReturnsReceipt.class, Receipt.class.getName() + " would come back without anything in it");
        failsFor(ReturnsCoupons.class, "neither setters nor a constructor for its properties [code]");
    }

    @Test
    void typesThatManyClassesHaveInCommon() {
        failsFor(ReturnsSerializable.class, "java.io.Serializable: nothing says which class it is");
        failsFor(ReturnsComparables.class, "nothing says which class its elements are");
        failsFor(ReturnsNumber.class, "java.lang.Number: nothing says which class it is");
        failsFor(ReturnsText.class, "java.lang.CharSequence: nothing says which class it is");
    }

    @Test
    void partsThatMayBeAnything() {
        failsFor(ReturnsPart.class, "nothing says which class 'content' of " + Envelope.class.getName() + " is");
    }

    @Test
    void whatIsSentBitByBit() {
        failsFor(ReturnsEvents.class, SseEmitter.class.getName() + " is not a value");
        failsFor(ReturnsParts.class, ResponseBodyEmitter.class.getName() + " is not a value");
        failsFor(ReturnsStream.class, StreamingResponseBody.class.getName() + " is not a value");
        failsFor(ReturnsFile.class, Resource.class.getName() + " is not a value");
    }

    @Test
    void interfacesThatAreMadeOfOneValue() {
        failsFor(ReturnsStatus.class, HttpStatusCode.class.getName());
        failsFor(ReturnsStatusInside.class, HttpStatusCode.class.getName());
    }

    @Test
    void notOrdinaryClasses() {
        start("", Fine.class).close();
    }

    public static class Blank {

        private @Nullable String id;

        String id() {
            return String.valueOf(id);
        }

        void id(String newId) {
            id = newId;
        }
    }

    record Login(
            String user,
            @JsonProperty(access = Access.WRITE_ONLY) String pin) {}

    public static class Receipt {

        private @Nullable String number;

        public @Nullable String getId() {
            return number;
        }
    }

    public static class Coupon {

        private final String code;

        Coupon() {
            this("none");
        }

        Coupon(String text) {
            code = text;
        }

        public String getCode() {
            return code;
        }
    }

    record Envelope(String address, Object content) {}

    record Ordinary(
            String name,
            Map<String, Object> more,
            List<Object> all,
            Optional<JsonNode> tree,
            @Nullable Bean bean) {}

    public static class Bean {

        private String name = "";

        @JsonIgnore
        private @Nullable Object ignored;

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        @JsonProperty(access = Access.READ_ONLY)
        public int getLength() {
            return name.length();
        }

        public @Nullable Object getIgnored() {
            return ignored;
        }

        public void setIgnored(Object ignored) {
            this.ignored = ignored;
        }
    }

    static class ReturnsEntity {

        @Idempotent(key = "#order")
        HttpEntity<String> pay(String order) {
            return new HttpEntity<>(order);
        }
    }

    static class ReturnsBlank {

        @Idempotent(key = "#order")
        Blank pay(String order) {
            return new Blank();
        }
    }

    static class ReturnsLogin {

        @Idempotent(key = "#order")
        List<Login> pay(String order) {
            return List.of(new Login(order, order));
        }
    }

    static class ReturnsReceipt {

        @Idempotent(key = "#order")
        Receipt pay(String order) {
            return new Receipt();
        }
    }

    static class ReturnsCoupons {

        @Idempotent(key = "#order")
        List<Coupon> pay(String order) {
            return List.of(new Coupon(order));
        }
    }

    static class ReturnsSerializable {

        @Idempotent(key = "#order")
        Serializable pay(String order) {
            return order;
        }
    }

    static class ReturnsComparables {

        @Idempotent(key = "#order")
        List<Comparable<String>> pay(String order) {
            return List.of(order);
        }
    }

    static class ReturnsNumber {

        @Idempotent(key = "#order")
        Number pay(String order) {
            return order.length();
        }
    }

    static class ReturnsText {

        @Idempotent(key = "#order")
        CharSequence pay(String order) {
            return order;
        }
    }

    static class ReturnsPart {

        @Idempotent(key = "#order")
        Envelope pay(String order) {
            return new Envelope("here", order);
        }
    }

    static class ReturnsEvents {

        @Idempotent(key = "#order")
        ResponseEntity<SseEmitter> pay(String order) {
            return ResponseEntity.ok(new SseEmitter());
        }
    }

    static class ReturnsParts {

        @Idempotent(key = "#order")
        ResponseEntity<ResponseBodyEmitter> pay(String order) {
            return ResponseEntity.ok(new ResponseBodyEmitter());
        }
    }

    static class ReturnsStream {

        @Idempotent(key = "#order")
        ResponseEntity<StreamingResponseBody> pay(String order) {
            return ResponseEntity.ok(out -> {});
        }
    }

    static class ReturnsFile {

        @Idempotent(key = "#order")
        ResponseEntity<Resource> pay(String order) {
            return ResponseEntity.ok(new ByteArrayResource(new byte[0]));
        }
    }

    record Reply(String text, HttpStatusCode status) {}

    static class ReturnsStatus {

        @Idempotent(key = "#order")
        HttpStatusCode pay(String order) {
            return HttpStatusCode.valueOf(200);
        }
    }

    static class ReturnsStatusInside {

        @Idempotent(key = "#order")
        List<Reply> pay(String order) {
            return List.of(new Reply(order, HttpStatusCode.valueOf(200)));
        }
    }

    static class Fine {

        @Idempotent(key = "#order")
        Ordinary pay(String order) {
            return new Ordinary(order, Map.of(), List.of(), Optional.empty(), null);
        }

        @Idempotent(key = "#order")
        ResponseEntity<ProblemDetail> refuse(String order) {
            return ResponseEntity.of(ProblemDetail.forStatus(400)).build();
        }

        @Idempotent(key = "#order")
        JsonNode tree(String order) {
            throw new IllegalStateException(order);
        }
    }
}
