package dev.resilience.spring.reactor;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import io.reactivex.rxjava3.core.Single;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Lazy;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Runs in a JVM of its own, in which BlockHound watches all threads: prints each blocking call on a thread that must not
 * block. Subscribes to methods of every kind on such threads, where they end and are cancelled as well.
 */
final class WatchedCalls {

    private static final Queue<BlockingOperationError> blocked = new ConcurrentLinkedQueue<>();

    private WatchedCalls() {}

    public static void main(String[] arguments) {
        BlockHound.builder()
                .loadIntegrations()
                .blockingMethodCallback(method -> {
                    BlockingOperationError found = new BlockingOperationError(method);
                    blocked.add(found);
                    throw found; // as it does in applications
                })
                .install();
        onParallelThread(WatchedCalls::block);
        System.out.println("planted: " + blocked.size());
        blocked.clear();
        new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class, ResilienceAutoConfiguration.class, JacksonAutoConfiguration.class))
                .withUserConfiguration(Shop.class)
                .withPropertyValues(
                        "resilience.retry.default.backoff.base-delay=1ms",
                        "resilience.circuit-breaker.default.failure-threshold=20",
                        "resilience.circuit-breaker.default.open-duration=1ms",
                        "resilience.bulkhead.default.max-concurrent=8",
                        "resilience.bulkhead.pool.type=thread-pool",
                        "resilience.time-limit.default.timeout=2ms",
                        "resilience.time-limit.worker.timeout=2ms",
                        "resilience.time-limit.worker.thread=worker",
                        "resilience.idempotency-store.type=memory")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    onParallelThread(() -> shop.retried(Flux::empty)); // before any other use of Reactor
                    drive(shop, Integer.parseInt(arguments[0]));
                    context.getBean(ResilienceRegistry.class).bulkheads().forEach((name, bulkhead) -> {
                        while (bulkhead.running() + bulkhead.queued() > 0) {
                            Thread.onSpinWait();
                        }
                    });
                });
        blocked.forEach(found -> found.printStackTrace(System.out));
        System.out.println("blocked: " + blocked.size());
        System.exit(0);
    }

    private static void onParallelThread(Runnable task) {
        CompletableFuture.runAsync(task, Schedulers.parallel()::schedule)
                .exceptionally(found -> null)
                .join();
    }

    private static void block() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void drive(Shop shop, int times) {
        Random random = new Random(7);
        Flux.range(0, times)
                .concatMapIterable(i -> shop.all(source(random), "key " + random.nextInt(50)))
                .flatMap(
                        call -> Flux.from(call)
                                .take(1 + random.nextInt(4))
                                .timeout(Duration.ofMillis(5))
                                .onErrorComplete()
                                .subscribeOn(Schedulers.parallel()),
                        40)
                .blockLast(Duration.ofMinutes(2));
    }

    private static Supplier<Flux<String>> source(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> () -> Flux.just("a", "b", "c");
            case 1 -> Flux::empty;
            case 2 -> () -> Flux.error(new ConnectException("down"));
            case 3 -> () -> Flux.just("a", "b").publishOn(Schedulers.parallel());
            case 4 ->
                () -> {
                    throw new IllegalStateException("thrown");
                };
            default -> Flux::never;
        };
    }

    public static class Shop {

        @Autowired
        @Lazy
        Shop self;

        List<Publisher<String>> all(Supplier<Flux<String>> source, String key) {
            return List.of(
                    self.retried(source),
                    self.broken(source),
                    self.queued(source),
                    self.pooled(source),
                    self.limited(source),
                    self.offloaded(source),
                    self.answered(source),
                    self.kept(key),
                    self.everything(source).toFlowable());
        }

        @Retryable("default")
        public Flux<String> retried(Supplier<Flux<String>> source) {
            return source.get();
        }

        @CircuitBreaker("default")
        public Flux<String> broken(Supplier<Flux<String>> source) {
            return source.get();
        }

        @Bulkhead("default")
        public Flux<String> queued(Supplier<Flux<String>> source) {
            return source.get();
        }

        @Bulkhead("pool")
        public Mono<String> pooled(Supplier<Flux<String>> source) {
            return source.get().next();
        }

        @TimeLimit("default")
        public Mono<String> limited(Supplier<Flux<String>> source) {
            return source.get().next();
        }

        @TimeLimit("worker")
        public Flux<String> offloaded(Supplier<Flux<String>> source) {
            return source.get();
        }

        @Fallback("later")
        public Mono<String> answered(Supplier<Flux<String>> source) {
            return source.get().next();
        }

        Mono<String> later() {
            return Mono.just("later");
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        public Mono<String> kept(String key) {
            return Mono.just(key).publishOn(Schedulers.parallel());
        }

        @Retryable("default")
        @CircuitBreaker("default")
        @Bulkhead("default")
        @TimeLimit("default")
        @Fallback("single")
        public Single<String> everything(Supplier<Flux<String>> source) {
            return Single.fromPublisher(source.get().next());
        }

        String single() {
            return "later";
        }
    }
}
