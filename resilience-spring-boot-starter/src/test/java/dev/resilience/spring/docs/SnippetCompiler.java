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

    private static final String IMPORTS = """
            package com.example;

            import static org.assertj.core.api.Assertions.*;
            import static org.mockito.BDDMockito.*;

            import dev.resilience.annotation.*;
            import dev.resilience.deadline.Deadline;
            import dev.resilience.exception.*;
            import dev.resilience.fault.Fault;
            import dev.resilience.fault.FaultClassifier;
            import dev.resilience.spring.ResilienceRegistry;
            import dev.resilience.spring.StartupWarnings;
            import dev.resilience.spring.web.DeadlineHeader;
            import dev.resilience.time.ManualTimeSource;
            import io.micrometer.core.instrument.FunctionCounter;
            import io.micrometer.core.instrument.MeterRegistry;
            import java.io.UncheckedIOException;
            import java.net.ConnectException;
            import java.time.Duration;
            import org.jspecify.annotations.Nullable;
            import org.junit.jupiter.api.BeforeEach;
            import org.junit.jupiter.api.Test;
            import org.springframework.beans.factory.annotation.Autowired;
            import org.springframework.boot.test.context.SpringBootTest;
            import org.springframework.boot.test.context.TestConfiguration;
            import org.springframework.context.annotation.Bean;
            import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
            import org.springframework.context.annotation.Configuration;
            import org.springframework.context.annotation.Import;
            import org.springframework.http.HttpStatus;
            import org.springframework.http.ResponseEntity;
            import org.springframework.jdbc.core.simple.JdbcClient;
            import org.springframework.stereotype.Service;
            import org.springframework.test.context.bean.override.mockito.MockitoBean;
            import org.springframework.test.web.servlet.assertj.MockMvcTester;
            import org.springframework.transaction.annotation.Transactional;
            import org.springframework.web.bind.annotation.ExceptionHandler;
            import org.springframework.web.bind.annotation.RestControllerAdvice;
            import org.springframework.web.client.RestClient;

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
                            List.of(source(className, IMPORTS + support(snippet) + snippet)))
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
