package dev.resilience.spring.docs;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.util.ReflectionTestUtils;

/** The test without an application that the page on tests shows passes. */
class TestingPageTests {

    @TempDir
    Path classes;

    @Test
    void aRegistryIsMadeByOneLine() throws Exception {
        String snippet = Snippets.of("docs/testing.md").in("java").stream()
                .filter(java -> java.contains("class RegistryTests {"))
                .findFirst()
                .orElseThrow();
        var constructor =
                SnippetCompiler.compile(snippet, "RegistryTests", classes).getDeclaredConstructor();
        constructor.setAccessible(true);
        ReflectionTestUtils.invokeMethod(constructor.newInstance(), "anOpenCircuitRefusesCalls");
    }
}
