package dev.resilience.spring.docs;

import dev.resilience.spring.SharedFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.assertj.core.api.Assertions;

/** Compiles a page's Java the way a reader's project would. */
final class SnippetCompiler {

    /** What the reader's own project has; everything else a snippet must import itself. */
    private static final String DOMAIN = """
            class LedgerClosedException extends RuntimeException {}

            record Receipt(String orderId, int amount) {}

            interface PaymentGateway {
                Receipt charge(String orderId, int amount);
            }
            """;

    /** The service that the page on tests begins with. */
    private static final String CHECKOUT = """
            class Checkout {
                Receipt pay(String orderId, int amount) {
                    return new Receipt(orderId, amount);
                }
            }

            """;

    /** Annotations of libraries that are not on the class path here, by package. */
    private static final Map<String, String> STAND_INS =
            Map.of("org.springframework.cloud.openfeign", "public @interface FeignClient { String value(); }");

    private SnippetCompiler() {}

    /** Compiles a snippet and loads one of its classes. */
    static Class<?> compile(String snippet, String className, Path directory)
            throws IOException, ClassNotFoundException {
        compile(directory, sources("com.example", snippet, className));
        URL[] classPath = {directory.toUri().toURL()};
        return new URLClassLoader(classPath, SnippetCompiler.class.getClassLoader())
                .loadClass("com.example." + className);
    }

    /** Compiles snippets that know nothing of each other, at once: each in a package of its own, with the domain in it. */
    static void compileEach(List<String> snippets, Path directory) {
        List<JavaFileObject> sources = new ArrayList<>();
        for (String snippet : snippets) {
            String className =
                    snippet.replaceFirst("(?s).*?(?m:^)(?:final )?(?:class|interface|record) (\\w+).*", "$1");
            sources.addAll(sources("com.example.snippet" + sources.size(), snippet, className));
        }
        STAND_INS.forEach((packageName, annotation) -> {
            String name = annotation.replaceFirst("public @interface (\\w+).*", "$1");
            sources.add(source(packageName, name, "package " + packageName + ";\n" + annotation));
        });
        compile(directory, sources);
    }

    private static void compile(Path directory, List<JavaFileObject> sources) {
        StringWriter messages = new StringWriter();
        boolean compiled = SharedFiles.COMPILER
                .getTask(
                        messages,
                        SharedFiles.writingTo(directory),
                        null,
                        List.of("-parameters", "-proc:none"),
                        null,
                        sources)
                .call();
        Assertions.assertThat(compiled).as("%s", messages).isTrue();
    }

    private static List<JavaFileObject> sources(String packageName, String snippet, String className) {
        String header = "package " + packageName + ";\n";
        return List.of(
                source(packageName, "Domain", header + DOMAIN + support(snippet)),
                source(packageName, className, header + snippet));
    }

    private static String support(String snippet) {
        return snippet.contains("class Checkout {") ? "" : CHECKOUT;
    }

    private static JavaFileObject source(String packageName, String className, String text) {
        return new SimpleJavaFileObject(
                URI.create("string:///" + packageName.replace('.', '/') + "/" + className + ".java"),
                JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
