package dev.resilience.spring.migration;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The tokens of a Java source, and its comments. Blanks are between them; a string, also one of many lines, is one. */
final class JavaTokens {

    enum Kind {
        WORD,
        NUMBER,
        STRING,
        SYMBOL,
        COMMENT
    }

    /**
     * A token.
     *
     * @param start where it begins in the source
     * @param end where the next character stands
     */
    record Token(Kind kind, int start, int end, String text) {

        boolean is(String other) {
            return text.equals(other);
        }

        boolean isWord() {
            return kind == Kind.WORD;
        }
    }

    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private int position;

    private JavaTokens(String source) {
        this.source = source;
    }

    static List<Token> of(String source) {
        return read(source).filter(token -> token.kind() != Kind.COMMENT).toList();
    }

    /** The comments between two places of a source. */
    static List<String> comments(String source, int from, int to) {
        return read(source)
                .filter(token -> token.kind() == Kind.COMMENT && token.start() >= from && token.start() < to)
                .map(token -> token.text().strip())
                .toList();
    }

    private static Stream<Token> read(String source) {
        JavaTokens read = new JavaTokens(source);
        while (read.position < source.length()) {
            read.next();
        }
        return read.tokens.stream();
    }

    private void next() {
        char first = source.charAt(position);
        if (Character.isWhitespace(first)) {
            position++;
        } else if (source.startsWith("//", position)) {
            add(Kind.COMMENT, indexOf("\n", position));
        } else if (source.startsWith("/*", position)) {
            add(Kind.COMMENT, indexOf("*/", position + 2) + 2);
        } else if (source.startsWith("\"\"\"", position)) {
            add(Kind.STRING, quoted("\"\"\""));
        } else if (first == '"' || first == '\'') {
            add(Kind.STRING, quoted(String.valueOf(first)));
        } else if (Character.isDigit(first)) {
            add(Kind.NUMBER, number());
        } else if (Character.isJavaIdentifierStart(first)) {
            int end = position + 1;
            while (end < source.length() && Character.isJavaIdentifierPart(source.charAt(end))) {
                end++;
            }
            add(Kind.WORD, end);
        } else {
            add(Kind.SYMBOL, position + 1);
        }
    }

    private int quoted(String quote) {
        int end = position + quote.length();
        while (end < source.length() && !source.startsWith(quote, end)) {
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        return end + quote.length();
    }

    private int number() {
        int end = position + 1;
        while (end < source.length()) {
            char next = source.charAt(end);
            boolean isSign = (next == '-' || next == '+') && "eEpP".indexOf(source.charAt(end - 1)) >= 0;
            if (!isSign && next != '.' && !Character.isJavaIdentifierPart(next)) {
                break;
            }
            end++;
        }
        return end;
    }

    private int indexOf(String text, int from) {
        int found = source.indexOf(text, from);
        return found < 0 ? source.length() : found;
    }

    private void add(Kind kind, int end) {
        int bounded = Math.min(end, source.length());
        tokens.add(new Token(kind, position, bounded, source.substring(position, bounded)));
        position = bounded;
    }
}
