package dev.resilience.spring.startup;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceUnusedPoliciesAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** The application that {@link StartupTime} starts: once with this library, once with an advisor that does nothing. */
final class StartupApplication {

    private StartupApplication() {}

    /** Starts in this process, and prints how long that took and how long the starting thread was at work. */
    public static void main(String[] arguments) throws ClassNotFoundException {
        Class<?> configuration = arguments[0].equals("ours") ? Ours.class : NoOp.class;
        Path directory = Path.of(arguments[1]);
        Class<?>[] sources =
                Stream.concat(Stream.of(configuration), beans(directory)).toArray(Class<?>[]::new);
        SpringApplication application = new SpringApplication(sources);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = System.nanoTime();
        long beginOfWork = threads.getCurrentThreadCpuTime();
        try (ConfigurableApplicationContext context = application.run(
                "--spring.config.location="
                        + directory.resolve("application.yaml").toUri(),
                "--spring.main.banner-mode=off",
                "--logging.level.root=error")) {
            System.out.println("started in " + (System.nanoTime() - begin) / 1_000_000 + " ms, worked "
                    + (threads.getCurrentThreadCpuTime() - beginOfWork) / 1_000_000 + " ms, "
                    + context.getBeanDefinitionCount() + " beans");
        }
    }

    private static Stream<Class<?>> beans(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class"))
                    .sorted()
                    .<Class<?>>map(name -> load(name.substring(0, name.length() - ".class".length())))
                    .toList()
                    .stream();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The source of one bean; its methods have two annotations each and take turns with the policies. */
    static String source(String name, int firstMethod, int methods, int policiesOfAKind) {
        String body = IntStream.range(firstMethod, firstMethod + methods)
                .mapToObj(i -> {
                    String policy = "(\"p" + i / 2 % policiesOfAKind + "\")";
                    String first = i % 2 == 0 ? "Retryable" : "Bulkhead";
                    String second = i % 2 == 0 ? "CircuitBreaker" : "TimeLimit";
                    return "    @" + first + policy + " @" + second + policy + "\n    public String method" + i
                            + "(String argument) { return argument; }\n";
                })
                .reduce("", String::concat);
        return "import dev.resilience.annotation.*;\n\npublic class " + name + " {\n" + body + "}\n";
    }

    /** As many policies of each of four kinds, with a few keys each; nothing at all for none. */
    static String yaml(int policiesOfAKind) {
        if (policiesOfAKind == 0) {
            return "";
        }
        StringBuilder yaml = new StringBuilder("resilience:\n");
        kind(yaml, "retry", policiesOfAKind, "max-attempts: 4, backoff: {base-delay: 200ms, max-delay: 5s}");
        kind(yaml, "circuit-breaker", policiesOfAKind, "failure-threshold: 7, open-duration: 10s");
        kind(yaml, "bulkhead", policiesOfAKind, "max-concurrent: 20, max-queue: 5");
        kind(yaml, "time-limit", policiesOfAKind, "timeout: 3s");
        return yaml.toString();
    }

    private static void kind(StringBuilder yaml, String kind, int policies, String keys) {
        yaml.append("  ").append(kind).append(":\n");
        for (int i = 0; i < policies; i++) {
            yaml.append("    p").append(i).append(": {").append(keys).append("}\n");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        PropertyPlaceholderAutoConfiguration.class,
        LifecycleAutoConfiguration.class,
        JacksonAutoConfiguration.class
    })
    static class Common {

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Common.class)
    @ImportAutoConfiguration({
        ResilienceAutoConfiguration.class,
        ResilienceMetricsAutoConfiguration.class,
        ResilienceUnusedPoliciesAutoConfiguration.class
    })
    static class Ours {}

    @Configuration(proxyBeanMethods = false)
    @Import(Common.class)
    static class NoOp {

        private static final Set<Class<? extends java.lang.annotation.Annotation>> ANNOTATIONS =
                Set.of(Retryable.class, CircuitBreaker.class, Bulkhead.class, TimeLimit.class);

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor noOpAdvisor() {
            MethodInterceptor doesNothing = invocation -> invocation.proceed();
            return new DefaultPointcutAdvisor(
                    new StaticMethodMatcherPointcut() {
                        @Override
                        public boolean matches(Method method, Class<?> type) {
                            return ANNOTATIONS.stream()
                                    .anyMatch(annotation -> AnnotatedElementUtils.hasAnnotation(method, annotation));
                        }
                    },
                    doesNothing);
        }
    }
}
