package dev.resilience.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.retry.BackoffFunction;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** What the pages show works as it stands there. */
class DocumentationTests {

    private static final String SERVICE = Snippets.of("README.md").in("java").get(0);
    private static final String CONFIGURATION =
            Snippets.of("README.md").in("yaml").get(0);

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class));

    @TempDir
    Path classes;

    static Stream<String> yaml() throws IOException {
        return Snippets.ofAllPages().flatMap(page -> page.in("yaml").stream());
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void everyYamlSnippetBinds(String snippet) {
        application
                .withBean("paymentFailures", Predicate.class, () -> failure -> true)
                .withBean("onlyUnavailable", Predicate.class, () -> failure -> true)
                .withBean("slowly", BackoffFunction.class, () -> (attempt, failure, result) -> Duration.ZERO)
                .withInitializer(yaml(snippet))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theServiceAndTheConfigurationOfTheFirstPageBelongTogether() throws Exception {
        Class<?> service = SnippetCompiler.compile(SERVICE, "OrderService", classes);
        application
                .withClassLoader(service.getClassLoader())
                .withInitializer(yaml(CONFIGURATION))
                .withInitializer(context -> register(context, service))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LiveRegistry registry = context.getBean(LiveRegistry.class);
                    assertThat(registry.usedBy("idempotency", "orders"))
                            .containsExactly("OrderService.place(String, int)");
                    assertThat(List.of("bulkhead", "circuit-breaker", "retry", "retry-budget"))
                            .allSatisfy(kind -> assertThat(registry.usedBy(kind, "gateway"))
                                    .containsExactly("OrderService.place(String, int)"));
                });
    }

    @Test
    void theFailureThatTheFirstPageShowsIsTheOneThatIsPrinted() throws Exception {
        String misspelt = SERVICE.replace("@Retryable(\"gateway\")", "@Retryable(\"gatway\")");
        Class<?> service = SnippetCompiler.compile(misspelt, "OrderService", classes);
        application
                .withClassLoader(service.getClassLoader())
                .withInitializer(yaml(CONFIGURATION))
                .withInitializer(context -> register(context, service))
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(context.getStartupFailure())
                            .isInstanceOfSatisfying(
                                    ResilienceConfigurationException.class,
                                    failure -> assertThat(Snippets.of("README.md")
                                                    .in("text")
                                                    .get(0))
                                            .contains(failure.getMessage(), failure.action()));
                });
    }

    @Test
    void theOtherJavaSnippetsCompile() throws Exception {
        SnippetCompiler.compileEach(javaAfterTheFirst(), classes);
    }

    private static List<String> javaAfterTheFirst() throws IOException {
        List<String> all = Snippets.ofAllPages()
                .flatMap(page -> page.in("java").stream())
                .filter(snippet -> !snippet.equals(SERVICE))
                .toList();
        assertThat(all).hasSizeGreaterThanOrEqualTo(3);
        return all;
    }

    private static void register(ConfigurableApplicationContext context, Class<?> service) {
        context.getBeanFactory()
                .registerSingleton(
                        "gateway", gateway(service.getDeclaredConstructors()[0].getParameterTypes()[0]));
        ((BeanDefinitionRegistry) context).registerBeanDefinition("orderService", new RootBeanDefinition(service));
    }

    private static Object gateway(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }

    private static ApplicationContextInitializer<ConfigurableApplicationContext> yaml(String snippet) {
        return context -> {
            try {
                for (PropertySource<?> source : new YamlPropertySourceLoader()
                        .load("snippet", new ByteArrayResource(snippet.getBytes(StandardCharsets.UTF_8)))) {
                    context.getEnvironment().getPropertySources().addFirst(source);
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        };
    }
}
