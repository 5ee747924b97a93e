package dev.resilience.spring.docs;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.assertj.core.api.Assertions;

/** Compiles a page's Java the way a reader's project would, in the package {@code com.example}. */
final class SnippetCompiler {

    /** What the reader's own project has; everything else a snippet must import itself. */
    private static final String DOMAIN = """
            package com.example;

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

    private SnippetCompiler() {}

    /** Compiles a snippet and loads one of its classes. */
    static Class<?> compile(String snippet, String className, Path directory)
            throws IOException, ClassNotFoundException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-parameters", "-proc:none", "-d", directory.toString());
            boolean compiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            options,
                            null,
                            List.of(
                                    source("Domain", DOMAIN + support(snippet)),
                                    source(className, "package com.example;\n" + snippet)))
                    .call();
            Assertions.assertThat(compiled).as("%s\n%s", messages, snippet).isTrue();
        }
        URL[] classPath = {directory.toUri().toURL()};
        return new URLClassLoader(classPath, SnippetCompiler.class.getClassLoader())
                .loadClass("com.example." + className);
    }

    private static String support(String snippet) {
        return snippet.contains("class Checkout {") ? "" : CHECKOUT;
    }

    private static JavaFileObject source(String className, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + className + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
