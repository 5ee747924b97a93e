package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaTokens.Kind;
import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values of attributes as this library has them: literals, constants and placeholders. */
final class Expressions {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^{}]*}");
    private static final Pattern WRAPPED = Pattern.compile("#\\{\\s*'?(\\$\\{[^{}]*})'?\\s*}");
    private static final Pattern DEFAULT_WITHOUT_UNIT = Pattern.compile("\\$\\{[^{}:]*:\\d+}");
    private static final Pattern DURATION = Pattern.compile("\\d+(ns|us|ms|s|m|h|d)|P.*");
    private static final Map<String, String> UNITS = Map.of(
            "NANOSECONDS", "ns",
            "MICROSECONDS", "us",
            "MILLISECONDS", "ms",
            "SECONDS", "s",
            "MINUTES", "m",
            "HOURS", "h",
            "DAYS", "d");

    private Expressions() {}

    /** As it is written, blanks within kept as one. */
    static String source(List<Token> tokens) {
        StringBuilder text = new StringBuilder();
        int end = tokens.isEmpty() ? 0 : tokens.get(0).start();
        for (Token token : tokens) {
            boolean isApart = token.start() > end && !text.toString().endsWith("{") && !token.is("}");
            text.append(isApart ? " " : "").append(token.text());
            end = token.end();
        }
        return text.toString();
    }

    /** The number that is written; {@code null} if it is a constant or is computed. */
    static @Nullable Long number(List<Token> tokens) {
        String digits = tokens.size() == 1 ? tokens.get(0).text().replaceAll("[_lL]", "") : "";
        return digits.matches("\\d{1,18}") ? Long.valueOf(digits) : null;
    }

    /** The text that is written; {@code null} if it is a constant or is computed. */
    static @Nullable String text(List<Token> tokens) {
        boolean isText = tokens.size() == 1
                && tokens.get(0).kind() == Kind.STRING
                && !tokens.get(0).is("\"\"")
                && !tokens.get(0).text().startsWith("\"\"\"")
                && tokens.get(0).text().startsWith("\"");
        String written = isText ? tokens.get(0).text() : "";
        return isText ? written.substring(1, written.length() - 1) : null;
    }

    /** A placeholder or literal out of an attribute whose name ends with Expression or String. */
    static String placeholder(String attribute, List<Token> tokens) throws Undecided {
        String text = text(tokens);
        Matcher wrapped = WRAPPED.matcher(text == null ? "" : text);
        String plain = wrapped.matches() ? wrapped.group(1) : text;
        if (plain == null
                || plain.contains("#")
                || !PLACEHOLDER.matcher(plain).replaceAll("").matches("[\\w.]*")) {
            throw new Undecided(
                    attribute + " is neither a number nor one ${placeholder}; expressions are not evaluated here");
        }
        return plain;
    }

    /** A number of times the unit as text, in quotes if it is no constant. */
    static String duration(List<Token> tokens, String unit) {
        Long number = number(tokens);
        if (number != null) {
            return '"' + pretty(number, unit) + '"';
        }
        return operand(tokens) + " + \"" + unit + '"';
    }

    /** In parentheses if it is not one name. */
    static String operand(List<Token> tokens) {
        boolean isName = tokens.stream().allMatch(token -> token.isWord() || token.is("."));
        return isName ? source(tokens) : "(" + source(tokens) + ")";
    }

    /** A duration that is written as text; a number gets the unit. */
    static String duration(String text, String unit, Converted converted) {
        if (DURATION.matcher(text).matches()) {
            return '"' + text + '"';
        }
        if (text.matches("\\d+")) {
            return '"' + pretty(Long.parseLong(text), unit) + '"';
        }
        boolean hasUnit = text.matches(".*:[^{}]*[a-zA-Z]}");
        if (!hasUnit && !DEFAULT_WITHOUT_UNIT.matcher(text).matches()) {
            converted.decisions.add(text + " was a number of " + unit
                    + ", and is read as one: if its value has a unit, remove '" + unit + "'");
        }
        return '"' + text + (hasUnit ? "" : unit) + '"';
    }

    private static String pretty(long number, String unit) {
        boolean isSeconds = unit.equals("ms") && number % 1_000 == 0;
        return number == 0 || !isSeconds ? number + unit : number / 1_000 + "s";
    }

    /** The unit that a constant of TimeUnit stands for. */
    static String unit(@Nullable List<Token> tokens) throws Undecided {
        String name =
                tokens == null ? "MILLISECONDS" : tokens.get(tokens.size() - 1).text();
        String unit = UNITS.get(name);
        if (unit == null) {
            throw new Undecided("timeUnit is " + name + ", which is not a constant of TimeUnit");
        }
        return unit;
    }

    /** How many milliseconds a literal in quotes is; {@code null} if it is none. */
    static @Nullable Long millis(@Nullable String quoted) {
        Matcher matcher = Pattern.compile("\"(\\d{1,12})(ms|s|m|h|d)\"").matcher(quoted == null ? "" : quoted);
        if (!matcher.matches()) {
            return null;
        }
        long factor = Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L)
                .getOrDefault(matcher.group(2), 1L);
        return Long.parseLong(matcher.group(1)) * factor;
    }
}
