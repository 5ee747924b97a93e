package dev.resilience.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** The files that tests compile with. Reading the jars of the class path takes longer than compiling, so it is done once. */
public final class SharedFiles {

    public static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Never closed: ends with the JVM. Not for several threads. */
    private static final StandardJavaFileManager MANAGER = COMPILER.getStandardFileManager(null, null, null);

    private SharedFiles() {}

    /** Classes are written to this directory, until the next call. */
    public static StandardJavaFileManager writingTo(Path directory) {
        try {
            MANAGER.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(directory));
            return MANAGER;
        } catch (IOException none) {
            throw new UncheckedIOException(none);
        }
    }
}
