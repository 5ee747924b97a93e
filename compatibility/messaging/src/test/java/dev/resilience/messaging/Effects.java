package dev.resilience.messaging;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** What listeners do, in order. */
final class Effects {

    /** Takes until a test ends it. */
    static final String SLOW = "slow";

    private final List<String> all = new CopyOnWriteArrayList<>();
    /** The common pool may have one thread alone. */
    static final Executor OWN_THREAD = task -> new Thread(task).start();

    private final CountDownLatch slowBegan = new CountDownLatch(1);
    private final CountDownLatch slowMayEnd = new CountDownLatch(1);

    /** Starts an application in which this is a bean. */
    ConfigurableApplicationContext application(
            Class<?> configuration, List<String> properties, Class<?>... components) {
        return new SpringApplicationBuilder(configuration)
                .sources(components)
                .initializers(application -> application.getBeanFactory().registerSingleton("effects", this))
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties.toArray(String[]::new))
                .run();
    }

    List<String> all() {
        return all;
    }

    void add(String effect) {
        if (effect.equals(SLOW)) {
            slowBegan.countDown();
            await(slowMayEnd);
        }
        all.add(effect);
    }

    /** Runs a call that has the slow effect, and returns when that has begun. */
    CompletableFuture<Void> runSlowly(Runnable call) {
        CompletableFuture<Void> running = CompletableFuture.runAsync(call, OWN_THREAD);
        await(slowBegan);
        return running;
    }

    void endSlow() {
        slowMayEnd.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nothing happened for a minute");
            }
        } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }
}
