package dev.resilience.spring.autoconfigure.preinitialize;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.support.SpringFactoriesLoader;

@ExtendWith(OutputCaptureExtension.class)
class ResilienceBackgroundPreinitializerTests {

    private final ResilienceBackgroundPreinitializer preinitializer = new ResilienceBackgroundPreinitializer();

    @Test
    void springBootFindsIt() {
        assertThat(SpringFactoriesLoader.loadFactories(
                        BackgroundPreinitializer.class, getClass().getClassLoader()))
                .hasAtLeastOneElementOfType(ResilienceBackgroundPreinitializer.class);
    }

    @Test
    void itMakesWhatAnApplicationMakes_withoutALogLine(CapturedOutput output) {
        preinitializer.preinitialize();

        assertThat(output).doesNotContain("dev.resilience", "event=");
    }

    @Test
    void itLeavesNoThreadBehind() {
        Set<Thread> before = threadsOfLibrary();

        preinitializer.preinitialize();

        assertThat(threadsOfLibrary()).isSubsetOf(before);
    }

    private static Set<Thread> threadsOfLibrary() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("resilience"))
                .collect(Collectors.toSet());
    }
}
