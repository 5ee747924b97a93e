package dev.resilience.compatibility;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a stranger finds in the jars, before any class is loaded. */
class PublishedJarsTests {

    private static final String VERSION = System.getProperty("project.version");
    private static final List<String> ATTACHED = Stream.of(
                    System.getProperty("attached.jars", "").split(",", -1))
            .filter(kind -> !kind.isBlank())
            .toList();
    private static final Path ROOT = Path.of("../..");

    /** The name of each published jar's module. */
    private static final Map<String, String> MODULES = Map.of(
            "resilience-core", "dev.resilience.core",
            "resilience-migration", "dev.resilience.migration",
            "resilience-spring-boot-starter", "dev.resilience.spring.boot",
            "resilience-store-tck", "dev.resilience.store.tck");

    static Stream<String> artifacts() {
        return MODULES.keySet().stream().sorted();
    }

    /** Those that are on the class path, and with -Prelease the sources and the Javadoc. */
    static Stream<Path> jars() {
        return artifacts().map(PublishedJarsTests::jar).flatMap(main -> {
            String name = main.getFileName().toString().replace(".jar", "");
            return Stream.concat(
                    Stream.of(main), ATTACHED.stream().map(kind -> main.resolveSibling(name + "-" + kind + ".jar")));
        });
    }

    @ParameterizedTest
    @MethodSource("jars")
    void theManifestNamesTitleVersionVendorAndLicense(Path path) throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();

            assertTrue(
                    String.valueOf(manifest.getValue("Implementation-Title")).startsWith("Resilience :: "),
                    path::toString);
            assertEquals(VERSION, manifest.getValue("Implementation-Version"));
            assertEquals("The resilience-spring-boot-starter project", manifest.getValue("Implementation-Vendor"));
            assertEquals("Apache-2.0", manifest.getValue("Bundle-License"));
        }
    }

    @ParameterizedTest
    @MethodSource("jars")
    void theLicenseIsInTheJar(Path path) throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            byte[] license =
                    jar.getInputStream(jar.getEntry("META-INF/LICENSE")).readAllBytes();

            assertEquals(Files.readString(ROOT.resolve("LICENSE")), new String(license, StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void theManifestNamesTheModule(String artifact) throws IOException {
        try (JarFile jar = new JarFile(jar(artifact).toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();

            assertEquals(MODULES.get(artifact), manifest.getValue("Automatic-Module-Name"));
        }
    }

    /** By the platform's own rules: a name that is none, or a package in the root, fails here. */
    @Test
    void theModulesShareNoPackage() {
        Path[] jars = artifacts().map(PublishedJarsTests::jar).toArray(Path[]::new);
        Set<ModuleReference> modules = ModuleFinder.of(jars).findAll();

        assertEquals(
                new HashSet<>(MODULES.values()),
                modules.stream().map(module -> module.descriptor().name()).collect(Collectors.toSet()));
        List<String> packages = modules.stream()
                .flatMap(module -> module.descriptor().packages().stream())
                .toList();
        assertEquals(new HashSet<>(packages).size(), packages.size(), () -> "A package is twice in " + packages);
        assertTrue(packages.stream().allMatch(name -> (name + ".").startsWith("dev.resilience.")), packages::toString);
    }

    @Test
    void theBomManagesWhatIsPublishedAndNothingElse() throws IOException {
        String bom = Files.readString(ROOT.resolve("resilience-bom/pom.xml"));
        String managed = bom.substring(bom.indexOf("<dependencyManagement>"), bom.indexOf("</dependencyManagement>"));

        assertTrue(bom.contains("<version>" + VERSION + "</version>"), "The BOM has another version");
        assertEquals(MODULES.keySet(), all("<artifactId>(.*?)</artifactId>", managed));
        assertEquals(Set.of("${project.version}"), all("<version>(.*?)</version>", managed));
    }

    private static Set<String> all(String regex, String text) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    private static Path jar(String artifact) {
        String name = artifact + "-" + VERSION + ".jar";
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> entry.endsWith(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not on the class path: run mvn verify"));
    }
}
