package dev.resilience.spring.migration;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * As much of YAML as configuration files use: nested and dotted keys, lists, maps and lists in braces, quotes, comments,
 * documents, anchors and merges. Of what it does not understand, such as texts of several lines, it gives the lines that may
 * have to do with Resilience4j.
 */
final class YamlReader {

    private static final Pattern KEY =
            Pattern.compile("(\"[^\"]*\"|'(?:[^']|'')*'|[^\\s:#{}\\[\\]\"'][^:]*?|\\[[^]]*])\\s*:(\\s+(.*))?");

    private record Level(int indent, String path) {}

    private final List<Map<String, String>> documents = new ArrayList<>();
    private final Deque<Level> levels = new ArrayDeque<>();
    private final Map<String, String> anchors = new HashMap<>();
    private final Set<String> merged = new HashSet<>(); // keys of the document that an alias has put there
    private final Map<Integer, String> unread;
    private Map<String, String> keys = new LinkedHashMap<>();
    private int textIndent = -1;
    private int number;

    private YamlReader(Map<Integer, String> unread) {
        this.unread = unread;
    }

    /**
     * The documents of a file, each with its keys written out, {@code a.b[0]}.
     *
     * @param unread gets the lines that are not understood, by their number
     */
    static List<Map<String, String>> read(String text, Map<Integer, String> unread) {
        YamlReader reader = new YamlReader(unread);
        reader.documents.add(reader.keys);
        List<String> lines = text.replaceFirst("^\uFEFF", "").lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = withoutComment(lines.get(i));
            reader.number = i + 1;
            while (opens(line) && i + 1 < lines.size()) {
                line += " " + withoutComment(lines.get(++i)).strip();
            }
            reader.line(line);
        }
        return reader.documents;
    }

    private static String withoutComment(String line) {
        char quote = 0;
        for (int i = 0; i < line.length(); i++) {
            char one = line.charAt(i);
            if (quote != 0) {
                quote = one == quote ? 0 : quote;
            } else if ((one == '"' || one == '\'') && (i == 0 || " [{,:".indexOf(line.charAt(i - 1)) >= 0)) {
                quote = one;
            } else if (one == '#' && (i == 0 || Character.isWhitespace(line.charAt(i - 1)))) {
                return line.substring(0, i);
            }
        }
        return line;
    }

    /** Whether braces are open at the end of a value that begins with one. */
    private static boolean opens(String line) {
        String content = line.strip().replaceFirst("^- +", "");
        Matcher key = KEY.matcher(content);
        String value = key.matches() ? (key.group(3) == null ? "" : key.group(3)) : content;
        String open = value.replaceAll("[^\\[{]", "");
        return value.matches("[\\[{].*")
                && open.length() > value.replaceAll("[^]}]", "").length();
    }

    private void line(String line) {
        String content = line.strip();
        int indent = line.length() - line.stripLeading().length();
        if (textIndent >= 0 && (content.isEmpty() || indent > textIndent)) {
            return;
        }
        textIndent = -1;
        if (content.equals("---") || content.startsWith("--- ")) {
            levels.clear();
            anchors.clear();
            merged.clear();
            keys = new LinkedHashMap<>();
            documents.add(keys);
        } else if (content.startsWith("- ") || content.equals("-")) {
            while (!levels.isEmpty() && levels.peek().indent() > indent) {
                levels.pop();
            }
            element(indent, content.substring(1).strip());
        } else if (!content.isEmpty() && !content.equals("...") && !isRestOfValue(indent, content)) {
            while (!levels.isEmpty() && levels.peek().indent() >= indent) {
                levels.pop();
            }
            key(indent, content);
        }
    }

    /** A value that begins on the line after its key. */
    private boolean isRestOfValue(int indent, String content) {
        String path = levels.isEmpty() ? "" : levels.peek().path();
        boolean isRest = !levels.isEmpty()
                && indent > levels.peek().indent()
                && !KEY.matcher(content).matches()
                && "".equals(keys.get(path));
        if (isRest) {
            keys.remove(path);
            value(path, content);
        }
        return isRest;
    }

    private void notUnderstood(String content) {
        boolean isTheirs = levels.stream().anyMatch(level -> level.path().startsWith("resilience4j"));
        if (isTheirs || content.contains("resilience4j")) {
            unread.put(number, content);
        }
    }

    private void element(int indent, String content) {
        String list = levels.isEmpty() ? "" : levels.peek().path();
        keys.remove(list, "");
        int number = 0;
        String prefix = list + "[" + number;
        while (hasKeys(prefix + "]")) {
            prefix = list + "[" + ++number;
        }
        Matcher key = KEY.matcher(content);
        if (key.matches()) {
            levels.push(new Level(indent + 1, prefix + "]"));
            key(indent + 2, content);
        } else {
            value(prefix + "]", content);
        }
    }

    private boolean hasKeys(String path) {
        return keys.keySet().stream().anyMatch(key -> key.equals(path) || key.startsWith(path + "."));
    }

    private void key(int indent, String content) {
        Matcher matcher = KEY.matcher(content);
        if (!matcher.matches()) {
            notUnderstood(content);
            return;
        }
        String parent = levels.isEmpty() ? "" : levels.peek().path();
        String name = unquoted(matcher.group(1));
        String value = matcher.group(3) == null ? "" : matcher.group(3).strip();
        String path = parent.isEmpty() ? name : parent + "." + name;
        keys.remove(parent, "");
        if (name.equals("<<")) {
            for (String alias : value.startsWith("[") ? parts(value) : List.of(value)) {
                copy(alias, parent);
            }
            return;
        }
        levels.push(new Level(indent, path));
        keys.keySet().removeIf(key -> merged.contains(key) && isBelow(key, path));
        while (value.startsWith("&") || value.startsWith("!")) {
            String[] parts = value.split("\\s+", 2);
            if (value.startsWith("&")) {
                anchors.put(parts[0].substring(1), path);
            }
            value = parts.length > 1 ? parts[1] : "";
        }
        if (value.matches("[|>][-+0-9]*")) {
            textIndent = indent;
            notUnderstood(content);
        } else {
            value(path, value);
        }
    }

    private void value(String path, String value) {
        if (value.startsWith("*")) {
            copy(value, path);
        } else if (value.startsWith("{") && value.endsWith("}")) {
            keys.put(path, "");
            for (String part : parts(value)) {
                Matcher key = KEY.matcher(part.contains(":") ? part.replaceFirst(":(?=\\S)", ": ") : part + ":");
                if (key.matches()) {
                    keys.remove(path, "");
                    value(
                            path + "." + unquoted(key.group(1)),
                            key.group(3) == null ? "" : key.group(3).strip());
                }
            }
        } else if (value.startsWith("[") && value.endsWith("]")) {
            int number = 0;
            for (String part : parts(value)) {
                value(path + "[" + number++ + "]", part);
            }
        } else {
            keys.put(path, unquoted(value));
        }
    }

    /** The parts between the commas that are in no further braces. */
    private static List<String> parts(String value) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 1;
        for (int i = 1; i < value.length(); i++) {
            char one = value.charAt(i);
            depth += one == '{' || one == '[' ? 1 : i < value.length() - 1 && (one == '}' || one == ']') ? -1 : 0;
            if ((depth == 0 && one == ',') || i == value.length() - 1) {
                parts.add(value.substring(from, i).strip());
                from = i + 1;
            }
        }
        parts.removeIf(String::isEmpty);
        return parts;
    }

    /** What stands below an anchor, below another key as well; what is written there already stays. */
    private void copy(String alias, String path) {
        String from = alias.startsWith("*") ? anchors.get(alias.substring(1).strip()) : null;
        if (from == null) {
            notUnderstood(alias);
            return;
        }
        new LinkedHashMap<>(keys).forEach((key, value) -> {
            String copied = isBelow(key, from) ? path + key.substring(from.length()) : "";
            if (!copied.isEmpty() && keys.putIfAbsent(copied, value) == null) {
                merged.add(copied);
            }
        });
    }

    /** Whether a key is this one or stands below it. */
    private static boolean isBelow(String key, String path) {
        return key.equals(path) || key.startsWith(path + ".") || key.startsWith(path + "[");
    }

    private static String unquoted(String text) {
        boolean isQuoted = text.length() > 1
                && ((text.startsWith("\"") && text.endsWith("\"")) || (text.startsWith("'") && text.endsWith("'")));
        String inside = isQuoted ? text.substring(1, text.length() - 1) : text;
        return isQuoted && text.startsWith("'") ? inside.replace("''", "'") : inside;
    }
}
