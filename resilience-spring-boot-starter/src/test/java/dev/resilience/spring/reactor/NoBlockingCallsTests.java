package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** BlockHound changes classes of the JDK, so {@link WatchedCalls} run in a JVM of their own. */
class NoBlockingCallsTests {

    @Test
    void noKindBlocksAThreadThatMustNotBlock() throws IOException, InterruptedException {
        watch(100);
    }

    @Tag("long")
    @Test
    void noKindBlocksUnderLoad() throws IOException, InterruptedException {
        watch(10_000);
    }

    private static void watch(int times) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-XX:+EnableDynamicAgentLoading",
                        "-XX:+AllowRedefinitionToAddDeleteMethods",
                        "-cp",
                        System.getProperty("java.class.path"),
                        WatchedCalls.class.getName(),
                        String.valueOf(times))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(output).as("BlockHound is active").contains("planted: 1");
        assertThat(output).contains("blocked: 0");
        assertThat(process.waitFor()).isZero();
    }
}
