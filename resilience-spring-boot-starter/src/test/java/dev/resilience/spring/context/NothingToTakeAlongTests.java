package dev.resilience.spring.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.ContextCarrier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Calls whose callers have nothing to take along. */
class NothingToTakeAlongTests {

    private final ContextCarrier carrier = new ContextSnapshotCarrier();

    @AfterEach
    void clear() {
        SecurityContextHolder.clearContext();
        RequestContextHolder.resetRequestAttributes();
        LocaleContextHolder.resetLocaleContext();
    }

    @Test
    void aTaskFindsNothingOfTheThreadThatItRunsOn() {
        AtomicInteger runs = new AtomicInteger();
        Runnable wrapped = carrier.wrap(() -> {
            assertThat(bound()).containsOnlyNulls();
            runs.incrementAndGet();
        });
        logIn();
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
        List<@Nullable Object> before = bound();

        wrapped.run();
        wrapped.run();

        assertThat(runs).hasValue(2);
        assertThat(bound()).isEqualTo(before).doesNotContainNull();
    }

    @Test
    void aTaskThatLogsInDoesSoForItselfAlone() {
        List<@Nullable Object> found = new ArrayList<>();
        Runnable task = () -> {
            found.addAll(bound());
            logIn();
        };

        carrier.wrap(task).run();
        carrier.wrap(task).run();

        assertThat(found).hasSize(4).containsOnlyNulls();
    }

    private static void logIn() {
        SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken("ada", "secret", "ROLE_USER"));
    }

    private static List<@Nullable Object> bound() {
        Authentication caller = SecurityContextHolder.getContext().getAuthentication();
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return Arrays.asList(caller, request);
    }
}
