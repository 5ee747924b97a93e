package dev.resilience.spring.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The code blocks of the project's pages. */
record Snippets(Path page, String text) {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static Snippets of(String page) {
        return of(ROOT.resolve(page));
    }

    static Stream<Snippets> ofAllPages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            List<Path> pages =
                    docs.filter(file -> file.toString().endsWith(".md")).toList();
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), pages.stream())
                    .map(Snippets::of);
        }
    }

    private static Snippets of(Path page) {
        try {
            return new Snippets(page, Files.readString(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> in(String language) {
        return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(text)
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
    }
}
