package dev.resilience.spring.migration;

import java.util.ArrayList;
import java.util.List;

/** The tokens of a Java source. Comments and blanks are between them; a string, also one of many lines, is one. */
final class JavaTokens {

    enum Kind {
        WORD,
        NUMBER,
        STRING,
        SYMBOL
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
    private final List<String> comments = new ArrayList<>();
    private final List<Integer> commentStarts = new ArrayList<>();
    private int position;

    private JavaTokens(String source) {
        this.source = source;
    }

    static List<Token> of(String source) {
        return read(source).tokens;
    }

    /** The comments between two places of a source. */
    static List<String> comments(String source, int from, int to) {
        JavaTokens read = read(source);
        List<String> found = new ArrayList<>();
        for (int i = 0; i < read.comments.size(); i++) {
            int start = read.commentStarts.get(i);
            if (start >= from && start < to) {
                found.add(read.comments.get(i));
            }
        }
        return found;
    }

    private static JavaTokens read(String source) {
        JavaTokens tokens = new JavaTokens(source);
        while (tokens.position < source.length()) {
            tokens.next();
        }
        return tokens;
    }

    private void next() {
        char first = source.charAt(position);
        if (Character.isWhitespace(first)) {
            position++;
        } else if (source.startsWith("//", position)) {
            comment(indexOf("\n", position));
        } else if (source.startsWith("/*", position)) {
            comment(indexOf("*/", position + 2) + 2);
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

    private void comment(int end) {
        int bounded = Math.min(end, source.length());
        comments.add(source.substring(position, bounded).strip());
        commentStarts.add(position);
        position = bounded;
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
