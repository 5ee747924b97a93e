package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.lang.ref.WeakReference;
import java.net.ConnectException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In an application server, where each application has the library in a class loader of its own, and comes and goes. */
@Timeout(120)
class RedeployedLibraryTests {

    /** A second one, because the JDK keeps the class of the record that was compared last ({@code ObjectMethods}). */
    @Test
    void anApplicationThatHasEndedLeavesNoThreadAndNoClassLoader() throws Exception {
        WeakReference<ClassLoader> gone = new WeakReference<>(deploy());
        deploy();

        await().atMost(Duration.ofSeconds(60)).until(() -> {
            System.gc();
            return gone.get() == null;
        });
    }

    /** Threads keep the class loader of what they run, so none of them is left when this is garbage. */
    private static ClassLoader deploy() throws Exception {
        ClassLoader loader = new OfApplication();
        AtomicBoolean hasRun = new AtomicBoolean();
        Thread deployer = new Thread(() -> run(loader, hasRun));
        deployer.setContextClassLoader(loader);
        deployer.start();
        deployer.join();
        assertThat(hasRun).isTrue();
        return loader;
    }

    private static void run(ClassLoader loader, AtomicBoolean hasRun) {
        try {
            Class<?> application = loader.loadClass(Application.class.getName());
            assertThat(application).isNotSameAs(Application.class);
            ((Runnable) application.getDeclaredConstructor().newInstance()).run();
            hasRun.set(true);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Has a time limit that ends a call, another that does not, a retry after a pause and a wait in a queue. */
    public static final class Application implements Runnable {

        @Override
        public void run() {
            Resilience resilience = Resilience.create();
            Pipeline pipeline = resilience
                    .pipeline("orders")
                    .bulkhead(BulkheadPolicy.builder().maxConcurrent(1).build())
                    .retry(RetryPolicy.builder()
                            .backoff(Backoff.fixed(Duration.ofMillis(5)))
                            .maxAttempts(2)
                            .build())
                    .timeLimit(TimeLimitPolicy.builder()
                            .timeout(Duration.ofMillis(50))
                            .build())
                    .build();
            CompletableFuture<String> slow = pipeline.callAsync(CompletableFuture::new);
            CompletableFuture<String> queued =
                    pipeline.callAsync(() -> CompletableFuture.failedFuture(new ConnectException("refused")));
            slow.handle((result, failure) -> failure).join();
            queued.handle((result, failure) -> failure).join();
            resilience.close();
        }
    }

    private static final class OfApplication extends URLClassLoader {

        OfApplication() {
            super(
                    new URL[] {locationOf(Resilience.class), locationOf(Application.class)},
                    RedeployedLibraryTests.class.getClassLoader());
        }

        private static URL locationOf(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.resilience.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }
}
