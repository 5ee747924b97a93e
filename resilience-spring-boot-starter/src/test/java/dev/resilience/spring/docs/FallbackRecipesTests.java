package dev.resilience.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;

/** The recipes of the page on fallbacks do what the page says. */
class FallbackRecipesTests {

    @TempDir
    Path classes;

    private boolean up;
    private @Nullable Object answer;

    @Test
    void aDefaultValueAnswersInAnOutage() throws Exception {
        run("Recommendations", List.of("tea"), service -> {
            assertThat(service.apply("ann")).isEqualTo(List.of("tea"));
            up = false;
            assertThat(service.apply("ann")).isEqualTo(List.of());
        });
    }

    @Test
    void theLastGoodValueAnswersInAnOutage() throws Exception {
        run("ExchangeRates", BigDecimal.TEN, service -> {
            assertThat(service.apply("EUR")).isEqualTo(BigDecimal.TEN);
            up = false;
            assertThat(service.apply("EUR")).isEqualTo(BigDecimal.TEN);
            assertThatThrownBy(() -> service.apply("CHF")).hasRootCauseInstanceOf(ConnectException.class);
        });
    }

    @Test
    void aPoorerAnswerComesFromElsewhere() throws Exception {
        run("Search", List.of("teapot"), service -> {
            assertThat(service.apply("tea")).hasToString("Hits[articles=[teapot], complete=true]");
            up = false;
            assertThat(service.apply("tea")).hasToString("Hits[articles=[Tea], complete=false]");
        });
    }

    @Test
    void aCallThatIsAnsweredAsAcceptedIsKeptForLater() throws Exception {
        runInContext("Announcements", "announced", context -> {
            Object service = context.getBean("service");
            assertThat(call(service, "o-1")).isEqualTo("announced");
            up = false;
            Object accepted = call(service, "o-2");
            assertThat(context.getBean(DeadLetterStore.class).list("carrier", 10))
                    .singleElement()
                    .satisfies(kept -> assertThat(accepted)
                            .isEqualTo("accepted as " + kept.letter().id()));
        });
    }

    private void run(String className, Object result, Consumer<Function<String, Object>> test) throws Exception {
        runInContext(className, result, context -> {
            Object service = context.getBean("service");
            test.accept(argument -> call(service, argument));
        });
    }

    /** A service of the page with what it needs; all that answers with the result while it is up. */
    private void runInContext(String className, Object result, Consumer<ApplicationContext> test) throws Exception {
        Class<?> type = compile(className);
        up = true;
        answer = result;
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withClassLoader(type.getClassLoader())
                .withPropertyValues("resilience.retry.carrier.dead-letter=true")
                .withBean(TimeSource.class, ManualTimeSource::new);
        List<Object> needed = new ArrayList<>();
        for (Class<?> dependency : type.getDeclaredConstructors()[0].getParameterTypes()) {
            needed.add(dependency(dependency));
        }
        withService(application, type, needed.toArray()).run(context -> {
            assertThat(context).hasNotFailed();
            test.accept(context);
        });
    }

    private static <T> ApplicationContextRunner withService(
            ApplicationContextRunner application, Class<T> type, Object[] needed) {
        return application.withBean("service", type, needed);
    }

    private Object dependency(Class<?> type) {
        if (type == CacheManager.class) {
            return new ConcurrentMapCacheManager("rates");
        }
        boolean isSubstitute = type.getSimpleName().equals("Catalogue");
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
                return method.invoke(this, arguments);
            }
            return isSubstitute ? List.of("Tea") : answer();
        });
    }

    private @Nullable Object answer() {
        if (!up) {
            throw new UncheckedIOException(new ConnectException("down"));
        }
        return answer;
    }

    private Class<?> compile(String className) throws Exception {
        String snippet = Snippets.of("docs/fallbacks.md").in("java").stream()
                .filter(java -> java.contains("class " + className + " {"))
                .findFirst()
                .orElseThrow();
        return SnippetCompiler.compile(snippet, className, classes);
    }

    /** Calls the method that takes one text, which is the protected one. */
    private static Object call(Object service, String argument) {
        String method = Stream.of("recommend", "rate", "search", "announce")
                .filter(name -> Stream.of(service.getClass().getDeclaredMethods())
                        .anyMatch(declared -> declared.getName().equals(name)))
                .findFirst()
                .orElseThrow();
        return ReflectionTestUtils.invokeMethod(service, method, argument);
    }
}
