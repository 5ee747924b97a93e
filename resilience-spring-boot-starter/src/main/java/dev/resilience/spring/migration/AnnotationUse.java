package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An annotation as it is written.
 *
 * @param name its name in the source, with dots if it has some
 * @param start where its {@code @} stands
 * @param end where the source goes on
 * @param next the index of the token that follows
 * @param attributes its attributes; a value without a name is {@code value}
 */
record AnnotationUse(String name, int start, int end, int next, Map<String, List<Token>> attributes) {

    /** Reads the annotation whose {@code @} is the token at the index; {@code null} if it is not whole. */
    static @Nullable AnnotationUse read(List<Token> tokens, int at) {
        int index = at + 1;
        StringBuilder name = new StringBuilder();
        while (index < tokens.size() && tokens.get(index).isWord()) {
            name.append(tokens.get(index).text());
            boolean goesOn = index + 2 < tokens.size()
                    && tokens.get(index + 1).is(".")
                    && tokens.get(index + 2).isWord();
            if (!goesOn) {
                break;
            }
            name.append('.');
            index += 2;
        }
        int close = index + 1 < tokens.size() && tokens.get(index + 1).is("(") ? closing(tokens, index + 1) : index;
        if (name.isEmpty() || close >= tokens.size()) {
            return null;
        }
        Map<String, List<Token>> attributes = new LinkedHashMap<>();
        if (close > index) {
            for (List<Token> part : split(tokens.subList(index + 2, close))) {
                boolean isNamed = part.size() > 2
                        && part.get(0).isWord()
                        && part.get(1).is("=")
                        && !part.get(2).is("=");
                attributes.put(isNamed ? part.get(0).text() : "value", isNamed ? part.subList(2, part.size()) : part);
            }
        }
        return new AnnotationUse(
                name.toString(), tokens.get(at).start(), tokens.get(close).end(), close + 1, attributes);
    }

    /** The index of the token that closes what opens at the index, or the number of tokens. */
    static int closing(List<Token> tokens, int open) {
        int depth = 0;
        for (int i = open; i < tokens.size(); i++) {
            String text = tokens.get(i).text();
            if (text.equals("(") || text.equals("{") || text.equals("[")) {
                depth++;
            } else if ((text.equals(")") || text.equals("}") || text.equals("]")) && --depth == 0) {
                return i;
            }
        }
        return tokens.size();
    }

    /** The parts between the commas that are in no brackets. */
    static List<List<Token>> split(List<Token> tokens) {
        List<List<Token>> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < tokens.size(); i++) {
            String text = tokens.get(i).text();
            if ("({[<".contains(text)) {
                depth++;
            } else if (")}]>".contains(text)) {
                depth--;
            } else if (text.equals(",") && depth == 0) {
                parts.add(tokens.subList(from, i));
                from = i + 1;
            }
        }
        if (from < tokens.size()) {
            parts.add(tokens.subList(from, tokens.size()));
        }
        return parts;
    }

    /** The last part of the name. */
    String simpleName() {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
