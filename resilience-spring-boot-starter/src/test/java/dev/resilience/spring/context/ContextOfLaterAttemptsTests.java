package dev.resilience.spring.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.context.ContextRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Every attempt of an asynchronous call, and its fallback, finds what was bound to the thread of the call's caller. */
class ContextOfLaterAttemptsTests {

    private final ApplicationContextRunner application = Applications.plain(Shop.class, Receipts.class);

    @AfterEach
    void clear() {
        MDC.clear();
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
        LocaleContextHolder.resetLocaleContext();
    }

    @Test
    void findsTheMdc() {
        MDC.put("order", "42");

        assertThereInAll(() -> MDC.get("order"), "42");
    }

    @Test
    void findsTheAuthentication() {
        Authentication ada = authenticated("ada");

        assertThereInAll(() -> SecurityContextHolder.getContext().getAuthentication(), ada);
    }

    @Test
    void findsTheRequest() {
        RequestAttributes request = new ServletRequestAttributes(new MockHttpServletRequest());
        RequestContextHolder.setRequestAttributes(request);

        assertThereInAll(RequestContextHolder::getRequestAttributes, request);
    }

    @Test
    void findsTheLanguage() {
        LocaleContextHolder.setLocale(Locale.forLanguageTag("sl"));

        assertThereInAll(LocaleContextHolder::getLocale, Locale.forLanguageTag("sl"));
    }

    @Test
    void findsTheObservation() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(ObservationThreadLocalAccessor.getInstance());
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(context -> true);
        Observation observation = Observation.start("order", registry);
        try (Observation.Scope scope = observation.openScope()) {
            assertThat(scope.getCurrentObservation()).isSameAs(observation);
            assertThereInAll(
                    () -> {
                        Observation.Scope current = registry.getCurrentObservationScope();
                        return current == null ? null : current.getCurrentObservation();
                    },
                    observation);
        }
    }

    @Test
    void doesNotFindWhatIsBoundToTheThreadThatGoesOn() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            CompletableFuture<String> answer =
                    shop.place(() -> SecurityContextHolder.getContext().getAuthentication());

            authenticated("bob");
            context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));

            assertThat(answer).isCompletedWithValue("instead");
            assertThat(shop.seen()).hasSize(4).containsOnlyNulls();
            assertThat(SecurityContextHolder.getContext().getAuthentication().getName())
                    .isEqualTo("bob");
        });
    }

    /** Ada's and Bob's calls use one key; each must have a receipt of its own. */
    @Test
    void makesIdempotentCallsForTheirCaller() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            ManualTimeSource time = context.getBean(ManualTimeSource.class);
            List<CompletableFuture<String>> answers = new ArrayList<>();
            for (String who : List.of("ada", "bob", "ada")) {
                authenticated(who);
                answers.add(shop.receipt("key"));
                SecurityContextHolder.clearContext();
                CompletableFuture.runAsync(() -> time.advance(Duration.ofMinutes(1)))
                        .join();
            }

            assertThat(answers)
                    .extracting(CompletableFuture::join)
                    .containsExactly("receipt 1 for ada", "receipt 2 for bob", "receipt 1 for ada");
        });
    }

    private <T> void assertThereInAll(Supplier<@Nullable T> look, T expected) {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            CompletableFuture<String> answer = shop.place(look);

            Object left = CompletableFuture.supplyAsync(() -> {
                        Object before = look.get();
                        context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));
                        Object after = look.get();
                        return after == null || after.equals(before) ? "nothing" : after;
                    })
                    .join();

            assertThat(answer).isCompletedWithValue("instead");
            assertThat(shop.seen()).hasSize(4).containsOnly(expected);
            assertThat(left).isEqualTo("nothing");
        });
    }

    private static Authentication authenticated(String name) {
        Authentication caller = new TestingAuthenticationToken(name, "", "ROLE_USER");
        SecurityContextHolder.getContext().setAuthentication(caller);
        return caller;
    }

    static class Shop {

        private final List<@Nullable Object> seen = Collections.synchronizedList(new ArrayList<>());
        private final Receipts receipts;

        Shop(Receipts receipts) {
            this.receipts = receipts;
        }

        List<@Nullable Object> seen() {
            return seen;
        }

        @Retryable("three")
        @Fallback("instead")
        public CompletableFuture<String> place(Supplier<?> look) {
            seen.add(look.get());
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        CompletableFuture<String> instead(Supplier<?> look) {
            seen.add(look.get());
            return CompletableFuture.completedFuture("instead");
        }

        private final AtomicInteger attempts = new AtomicInteger();

        /** Its first attempt always fails. */
        @Retryable("two")
        public CompletableFuture<String> receipt(String key) {
            return attempts.incrementAndGet() % 2 == 1
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture(receipts.write(key));
        }
    }

    static class Receipts {

        private final AtomicInteger written = new AtomicInteger();

        @Idempotent(key = "#key")
        public String write(String key) {
            return "receipt " + written.incrementAndGet() + " for "
                    + SecurityContextHolder.getContext().getAuthentication().getName();
        }
    }
}
