package dev.resilience.spring.docs;

import dev.resilience.spring.SharedFiles;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
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
        StringWriter messages = new StringWriter();
        boolean compiled = SharedFiles.COMPILER
                .getTask(
                        messages,
                        SharedFiles.writingTo(directory),
                        null,
                        List.of("-parameters", "-proc:none"),
                        null,
                        List.of(
                                source("Domain", DOMAIN + support(snippet)),
                                source(className, "package com.example;\n" + snippet)))
                .call();
        Assertions.assertThat(compiled).as("%s\n%s", messages, snippet).isTrue();
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
