package dev.resilience.spring.weaving;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.woven.WovenApplication;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.aspectj.lang.JoinPoint;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** {@code resilience.advice-mode: aspectj} with AspectJ's agent, in a JVM of its own, and without. */
class WeavingTests {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    private static String agent() {
        return Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> Path.of(entry).getFileName().toString().startsWith("aspectjweaver-"))
                .findFirst()
                .orElseThrow();
    }

    private static String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", CLASS_PATH));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void protectsWhatNoProxyCan() throws Exception {
        assertThat(run("-javaagent:" + agent(), WovenApplication.class.getName()))
                .contains(
                        "> before: ConnectException",
                        "> proxied: false",
                        "> bean: loaded at attempt 2",
                        "> within: loaded at attempt 2",
                        "> private: loaded at attempt 2",
                        "> final: loaded at attempt 2",
                        "> later: loaded at attempt 2",
                        "> limited: RateLimitExceededException",
                        "> hedged: loaded, calls measured: 1",
                        "> by its type: loaded at attempt 2",
                        "> no bean: loaded at attempt 2",
                        "> after: ConnectException",
                        "loadInTransaction() has @Retryable, which AspectJ weaves, and @Transactional on a proxy")
                .doesNotContain("load() has");
    }

    @Test
    void theDocsShowTheFileThatTheApplicationAboveHas() throws IOException {
        String file = Files.readString(Path.of("src/test/resources/META-INF/aop.xml"));
        assertThat(Files.readString(Path.of("../docs/aspectj.md")))
                .contains(file.strip().indent(3).strip());
    }

    @Test
    void refusesWhatIsNotWoven() {
        new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withPropertyValues("resilience.advice-mode=aspectj", "resilience.idempotency-store.type=memory")
                .withBean(NotWoven.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll(
                                "annotatedAbove() is annotated with @Retryable but AspectJ has not woven this library's advice",
                                "pay(java.lang.String) is annotated with @Idempotent but 'resilience.advice-mode' is",
                                "wovenByOthers() is annotated with @Retryable but AspectJ has not woven this library's advice",
                                "overloaded(java.lang.String) is annotated with @Retryable but AspectJ has not woven this library's advice",
                                "ofNoObject() is annotated with @Retryable but is static"));
    }

    interface Annotated {

        @Retryable("default")
        String annotatedAbove();
    }

    static class NotWoven implements Annotated {

        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }

        @Override
        public String annotatedAbove() {
            return "";
        }

        /** As AspectJ makes it for an aspect of others, which sees no annotation of the interface either. */
        @SuppressWarnings("MemberName")
        static String annotatedAbove_aroundBody0(NotWoven self, JoinPoint call) {
            return "";
        }

        @Retryable("default")
        String wovenByOthers() {
            return "";
        }

        /** As the class file has it if only an aspect of others was woven, when it was built. */
        @SuppressWarnings("MemberName")
        static String wovenByOthers_aroundBody0(NotWoven self, JoinPoint call) {
            return "";
        }

        @Retryable("default")
        String overloaded(String key) {
            return key;
        }

        /** As AspectJ makes it of an overload with two parameters. */
        @SuppressWarnings("MemberName")
        static String overloaded_aroundBody0(NotWoven self, String key, int times, JoinPoint call) {
            return key.repeat(times);
        }

        @Retryable("default")
        static String ofNoObject() {
            return "";
        }
    }
}
