package dev.resilience.spring.autoconfigure;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.resilience.annotation.Idempotent;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.RequestEntity;
import org.springframework.validation.BindingResult;
import org.springframework.web.multipart.MultipartFile;

/** {@code @Idempotent} methods whose arguments could not be compared. */
class ArgumentTypesFailTests extends FailingStartup {

    private void failsFor(Class<?> bean, String argument, String why) {
        fail(bean)
                .blames(bean, "pay(java.lang.String, " + argument + ")")
                .says("Argument 1", "cannot be written as JSON", why)
                .advises("'fingerprint: false'");
        start("resilience.idempotency.default.fingerprint: false", bean).close();
    }

    @Test
    void streamsOfBytes() {
        failsFor(Content.class, "java.io.InputStream", "java.io.InputStream is not a value");
    }

    @Test
    void files() {
        failsFor(Uploads.class, "java.util.List", MultipartFile.class.getName() + " is not a value");
    }

    @Test
    void resourcesInsideOfRecords() {
        failsFor(Inside.class, Letter.class.getName(), Resource.class.getName() + " is not a value");
    }

    @Test
    void errorsOfBinding() {
        failsFor(Bound.class, BindingResult.class.getName(), "BindingResult is not a value");
    }

    @Test
    void iterators() {
        failsFor(Once.class, "java.util.Iterator", "java.util.Iterator can be read only once");
    }

    @Test
    void streamsOfObjects() {
        failsFor(Streamed.class, "java.util.stream.Stream", "java.util.stream.Stream can be read only once");
    }

    @Test
    void whatIsAnotherOneInEveryRequest() {
        failsFor(WholeRequest.class, "org.springframework.http.RequestEntity", "has headers");
        failsFor(OnlyHeaders.class, "org.springframework.http.HttpHeaders", "has headers");
    }

    @Test
    void classesWithoutAnythingThatJsonShows() {
        failsFor(Blank.class, Secret.class.getName(), Secret.class.getName() + " has fields, but JSON shows none");
    }

    @Test
    void partsWithoutAnythingThatJsonShows() {
        failsFor(BlankPart.class, "java.util.Map", Secret.class.getName() + " has fields, but JSON shows none");
    }

    @Test
    void codeOfTheCaller() {
        failsFor(Callback.class, "java.util.function.Supplier", "java.util.function.Supplier is code");
        failsFor(Later.class, "java.util.List", "java.lang.Runnable is code");
    }

    @Test
    void notWhatHasNoFieldsOrIsShownOtherwise() {
        start("", Fine.class).close();
    }

    static class Secret {

        private final int amount;

        Secret(int amount) {
            this.amount = amount;
        }

        int amount() {
            return amount;
        }
    }

    record Letter(String text, Resource attachment) {}

    record Box(List<Secret> secrets) {}

    record Text(@JsonValue String text) {}

    static class Marker {}

    @FunctionalInterface
    interface Command {

        void run();
    }

    static class Dynamic {

        private final Map<String, Object> values = Map.of();

        @JsonAnyGetter
        Map<String, Object> values() {
            return values;
        }
    }

    static class Content {

        @Idempotent(key = "#order")
        void pay(String order, InputStream content) {}
    }

    static class Uploads {

        @Idempotent(key = "#order")
        void pay(String order, List<MultipartFile> files) {}
    }

    static class Inside {

        @Idempotent(key = "#order")
        void pay(String order, Letter letter) {}
    }

    static class Bound {

        @Idempotent(key = "#order")
        void pay(String order, BindingResult errors) {}
    }

    static class Once {

        @Idempotent(key = "#order")
        void pay(String order, Iterator<String> items) {}
    }

    static class Streamed {

        @Idempotent(key = "#order")
        void pay(String order, Stream<String> items) {}
    }

    static class WholeRequest {

        @Idempotent(key = "#order")
        void pay(String order, RequestEntity<String> request) {}
    }

    static class Blank {

        @Idempotent(key = "#order")
        void pay(String order, Secret secret) {}
    }

    static class BlankPart {

        @Idempotent(key = "#order")
        void pay(String order, Map<String, Box> boxes) {}
    }

    static class OnlyHeaders {

        @Idempotent(key = "#order")
        void pay(String order, HttpHeaders headers) {}
    }

    static class Callback {

        @Idempotent(key = "#order")
        void pay(String order, Supplier<String> callback) {}
    }

    static class Later {

        @Idempotent(key = "#order")
        void pay(String order, List<Runnable> callbacks) {}
    }

    static class Fine {

        @Idempotent(key = "#order")
        void pay(String order, Marker marker, Command command, Dynamic dynamic, Text text, Object anything) {}
    }
}
