package com.example.woven;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Hedge;
import dev.resilience.annotation.RateLimit;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

/** Prints what became of calls, in a JVM of its own that may have AspectJ's agent. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    AopAutoConfiguration.class,
    ResilienceAutoConfiguration.class,
    ResilienceTransactionAutoConfiguration.class
})
public class WovenApplication {

    public static void main(String[] arguments) {
        print("before", () -> new Depot().load());
        try (ConfigurableApplicationContext context = start(Depot.class)) {
            Depot depot = context.getBean(Depot.class);
            print("proxied", () -> AopUtils.isAopProxy(depot));
            print("bean", depot::load);
            print("within", depot::loadWithin);
            print("private", depot::loadPrivately);
            print("final", depot::loadFinally);
            print("later", () -> depot.loadLater().join());
            print("limited", () -> depot.loadOnce() + depot.loadOnce());
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            print(
                    "hedged",
                    () -> depot.loadHedged() + registry.hedge("tail").calls().total());
            print("by its type", () -> new Typed().load());
            print("no bean", () -> new Depot().load());
        }
        print("after", () -> new Depot().load());
    }

    private interface Call {

        Object made() throws Exception;
    }

    private static void print(String what, Call call) {
        String answer;
        try {
            answer = String.valueOf(call.made());
        } catch (Exception failed) {
            answer = failed.getClass().getSimpleName();
        }
        System.out.println("> " + what + ": " + answer);
    }

    private static ConfigurableApplicationContext start(Class<?> bean) {
        return new SpringApplicationBuilder(WovenApplication.class, bean)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "resilience.advice-mode=aspectj",
                        "resilience.idempotency-store.type=memory",
                        "resilience.retry.default.backoff.base-delay=1ms",
                        "resilience.hedge.tail.side-effect-free=true",
                        "logging.level.root=error",
                        "logging.level.dev.resilience=warn")
                .run();
    }

    static class Depot {

        private int attempts;

        private String twice() throws ConnectException {
            if (++attempts % 2 == 1) {
                throw new ConnectException("refused");
            }
            return "loaded at attempt 2";
        }

        @Retryable("default")
        @CircuitBreaker("default")
        @Bulkhead("default")
        @TimeLimit("default")
        String load() throws ConnectException {
            return twice();
        }

        @Retryable("default")
        @Transactional
        String loadInTransaction() throws ConnectException {
            return twice();
        }

        String loadWithin() throws ConnectException {
            return load();
        }

        String loadPrivately() throws ConnectException {
            return hidden("loaded");
        }

        @Retryable("default")
        private String hidden(String start) throws ConnectException {
            return twice().replace("loaded", start);
        }

        @Retryable("default")
        final String loadFinally() throws ConnectException {
            return twice();
        }

        @RateLimit(permits = 1, period = "1h")
        private String loadOnce() {
            return "loaded";
        }

        @Hedge("tail")
        private String loadHedged() {
            return "loaded, calls measured: ";
        }

        @Retryable("default")
        @TimeLimit("default")
        CompletableFuture<String> loadLater() {
            try {
                return CompletableFuture.completedFuture(twice());
            } catch (ConnectException refused) {
                return CompletableFuture.failedFuture(refused);
            }
        }
    }

    @Retryable("default")
    static class Typed {

        private int attempts;

        public String load() throws ConnectException {
            if (++attempts == 1) {
                throw new ConnectException("refused");
            }
            return "loaded at attempt 2";
        }
    }
}
