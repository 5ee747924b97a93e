package dev.resilience.spring.autoconfigure;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.resilience.annotation.Idempotent;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.RequestEntity;
import org.springframework.validation.BindingResult;
import org.springframework.web.multipart.MultipartFile;
import reactor.core.publisher.Mono;

/** {@code @Idempotent} methods whose arguments could not be compared. */
class ArgumentTypesFailTests extends FailingStartup {

    private void failsFor(Class<?> bean, String argument, String why) {
        fail(bean)
                .blames(bean, "pay(java.lang.String, " + argument + ")")
                .says("Argument 1", "cannot be compared with that of another call", why)
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
        failsFor(WholeRequest.class, "org.springframework.http.RequestEntity", "is not a value");
        failsFor(OnlyHeaders.class, "org.springframework.http.HttpHeaders", "is not a value");
    }

    @Test
    void threadsAndLocks() {
        failsFor(
                Locked.class,
                "java.util.Map",
                "java.util.concurrent.locks.ReentrantLock is not a value, in 'lock', in 'guarded'");
        failsFor(Running.class, Worker.class.getName(), Worker.class.getName() + " is not a value");
    }

    @Test
    void whatComesLater() {
        failsFor(
                Promised.class,
                CompletableFuture.class.getName(),
                CompletableFuture.class.getName() + " is not a value");
        failsFor(Reactive.class, Mono.class.getName(), Mono.class.getName() + " is not a value");
    }

    @Test
    void codeOfTheCaller() {
        failsFor(Callback.class, "java.util.function.Supplier", "java.util.function.Supplier is code");
        failsFor(Later.class, "java.util.List", "java.lang.Runnable is code");
    }

    @Test
    void notWhatHasNoFieldsOrIsNotShown() {
        start("", Fine.class).close();
    }

    @SuppressWarnings("UnusedVariable") // fields are what it is about
    static class Secret {

        private final int amount;
        private final Logger log = LoggerFactory.getLogger(getClass());
        private transient @Nullable ReentrantLock lock;

        Secret(int amount) {
            this.amount = amount;
        }

        int amount() {
            return amount;
        }
    }

    record Letter(String text, Resource attachment) {}

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

    record Guarded(String text, ReentrantLock lock) {}

    record Box(List<Guarded> guarded) {}

    static class Worker extends Thread {}

    static class Locked {

        @Idempotent(key = "#order")
        void pay(String order, Map<String, Box> boxes) {}
    }

    static class Running {

        @Idempotent(key = "#order")
        void pay(String order, Worker worker) {}
    }

    static class Promised {

        @Idempotent(key = "#order")
        void pay(String order, CompletableFuture<String> later) {}
    }

    static class Reactive {

        @Idempotent(key = "#order")
        void pay(String order, Mono<String> later) {}
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
        void pay(
                String order,
                Marker marker,
                Command command,
                Dynamic dynamic,
                Text text,
                Object anything,
                Secret secret) {}
    }
}
