package dev.resilience.spring.autoconfigure.preinitialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
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

    /** Spring Boot would wait for ever if it could not make it. */
    @Test
    void itIsMadeEvenIfClassesOfTheLibraryAreMissing() throws Exception {
        Class<?> type = ResilienceBackgroundPreinitializer.class;
        URL boot = BackgroundPreinitializer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        byte[] bytes;
        try (InputStream file = type.getResourceAsStream(type.getSimpleName() + ".class")) {
            bytes = file.readAllBytes();
        }
        try (URLClassLoader bootAlone = new URLClassLoader(new URL[] {boot}, ClassLoader.getPlatformClassLoader())) {
            Class<?> alone = new ClassLoader(bootAlone) {
                Class<?> define() {
                    return defineClass(type.getName(), bytes, 0, bytes.length);
                }
            }.define();
            Constructor<?> constructor = alone.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object made = constructor.newInstance();

            Method preinitialize = alone.getMethod("preinitialize");
            preinitialize.setAccessible(true);
            assertThatThrownBy(() -> preinitialize.invoke(made)).hasCauseInstanceOf(NoClassDefFoundError.class);
        }
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
