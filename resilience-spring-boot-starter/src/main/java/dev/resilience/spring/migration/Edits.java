package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaSource.Import;
import dev.resilience.spring.migration.JavaTokens.Kind;
import dev.resilience.spring.migration.JavaTokens.Token;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The changes to one file, and its imports. */
final class Edits {

    private record Edit(int end, String text) {}

    private static final String TIMEOUT = "java.util.concurrent.TimeoutException";

    private static final String OURS = "dev.resilience.annotation.";

    private static final String CODE_THROWS =
            "; code that still uses the other library throws the other one: handle both";

    private final JavaSource source;
    private final TreeMap<Integer, Edit> edits = new TreeMap<>();
    private final Set<String> kept = new HashSet<>();
    private final Set<String> converted = new HashSet<>();
    private final Set<String> imported = new TreeSet<>();

    Edits(JavaSource source) {
        this.source = source;
    }

    void replace(int start, int end, String text) {
        edits.put(start, new Edit(end, text));
    }

    /** Removes with the line, if nothing else is on it; gives where that begins. */
    int remove(int start, int end) {
        int lineStart = source.text.lastIndexOf('\n', start - 1) + 1;
        int lineEnd = source.text.indexOf('\n', end);
        boolean isAlone = lineEnd >= 0
                && (source.text.substring(lineStart, start) + source.text.substring(end, lineEnd)).isBlank();
        int next = end;
        while (!isAlone && next < source.text.length() && source.text.charAt(next) == ' ') {
            next++;
        }
        replace(isAlone ? lineStart : start, isAlone ? lineEnd + 1 : next, "");
        return isAlone ? lineStart : start;
    }

    void keep(String simpleName) {
        kept.add(simpleName);
    }

    void converted(String simpleName) {
        converted.add(simpleName);
    }

    /** The blanks before a place, if nothing else is on its line. */
    String indent(int offset) {
        String before = source.text.substring(source.text.lastIndexOf('\n', offset - 1) + 1, offset);
        return before.isBlank()
                ? before
                : " ".repeat(before.length() - before.stripLeading().length());
    }

    /** How one of our annotations is named in this file: by its full name where its simple one means something else. */
    String name(String simpleName) {
        boolean isTaken = kept.contains(simpleName)
                || source.declaredTypes.contains(simpleName)
                || source.imports.stream()
                        .anyMatch(one -> one.simpleName().equals(simpleName)
                                && !Libraries.ANNOTATIONS.contains(one.name())
                                && !one.name().equals(OURS + simpleName));
        if (isTaken) {
            return OURS + simpleName;
        }
        imported.add(OURS + simpleName);
        return simpleName;
    }

    /** Completes the changes by the imports; nothing is changed after it. */
    void complete(Project project, String path) {
        renameExceptions(project, path);
        if (!converted.isEmpty() || !imported.isEmpty()) {
            imports();
        }
        report(project, path);
    }

    /** The file with its changes. */
    String result() {
        StringBuilder text = new StringBuilder(source.text);
        edits.descendingMap().forEach((start, edit) -> text.replace(start, edit.end(), edit.text()));
        return text.toString();
    }

    /** The lines that change and those in their place, with their numbers; empty if there are none. */
    String diff() {
        StringBuilder diff = new StringBuilder();
        int from = 0;
        while (edits.ceilingKey(from) != null) {
            int start = source.text.lastIndexOf('\n', edits.ceilingKey(from) - 1) + 1;
            int end = start;
            StringBuilder after = new StringBuilder();
            for (Map.Entry<Integer, Edit> edit : edits.tailMap(start).entrySet()) {
                if (edit.getKey() > lineEnd(end)) {
                    break;
                }
                after.append(source.text, end, edit.getKey())
                        .append(edit.getValue().text());
                end = edit.getValue().end();
            }
            boolean isWhole = end > start && source.text.charAt(end - 1) == '\n';
            int last = isWhole ? end : lineEnd(end);
            after.append(source.text, end, last);
            diff.append("@@ ").append(source.line(start)).append(" @@\n");
            source.text
                    .substring(start, last)
                    .lines()
                    .forEach(line -> diff.append('-').append(line).append('\n'));
            after.toString()
                    .lines()
                    .forEach(line -> diff.append('+').append(line).append('\n'));
            from = last + 1;
        }
        return diff.toString();
    }

    private int lineEnd(int offset) {
        int end = source.text.indexOf('\n', offset);
        return end < 0 ? source.text.length() : end;
    }

    /**
     * Only where an annotation of the library was converted, and the file uses nothing in code that would still throw the
     * library's own exceptions.
     */
    private void renameExceptions(Project project, String path) {
        boolean isPlain = source.imports.stream().noneMatch(one -> Libraries.isCode(one.name()));
        for (Import one : source.imports) {
            String ours = Libraries.EXCEPTIONS.get(one.name());
            String page = Libraries.page(one.name());
            if (ours == null || !isPlain || !project.convertedPages.contains(page)) {
                continue;
            }
            for (Token token : source.tokens) {
                if (token.start() > one.end() && token.is(one.simpleName())) {
                    edits.putIfAbsent(token.start(), new Edit(token.end(), Libraries.simple(ours)));
                }
            }
            imported.add(ours);
            edits.put(one.start(), new Edit(one.end(), ""));
            project.decide(
                    path,
                    source.line(one.start()),
                    one.simpleName(),
                    "it is " + Libraries.simple(ours) + " here, whose policy is name()"
                            + (project.codePages.contains(page) ? CODE_THROWS : ""));
        }
    }

    private void imports() {
        Set<String> places = new TreeSet<>(imported);
        source.imports.stream().map(Import::name).forEach(places::remove);
        int first = -1;
        int last = -1;
        for (Import one : source.imports) {
            boolean isRenamed = edits.containsKey(one.start());
            boolean isUnused = one.name().contains(".annotation.") && Libraries.isForeign(one.name()) && !isUsed(one);
            if (isRenamed || isUnused) {
                edits.remove(one.start());
                int start = remove(one.start(), one.end());
                first = first < 0 ? start : first;
            }
            last = one.end();
        }
        StringBuilder lines = new StringBuilder();
        places.forEach(name -> lines.append("import ").append(name).append(";\n"));
        if (first >= 0) {
            Edit removed = edits.getOrDefault(first, new Edit(first, ""));
            edits.put(first, new Edit(removed.end(), lines.toString()));
        } else if (!places.isEmpty()) {
            int place = last >= 0 ? last : packageEnd();
            edits.put(
                    place,
                    new Edit(
                            place,
                            "\n" + (last >= 0 ? "" : "\n") + lines.toString().stripTrailing()));
        }
    }

    private int packageEnd() {
        int index = source.tokens.isEmpty() || !source.tokens.get(0).is("package") ? -1 : 0;
        while (index >= 0 && !source.tokens.get(index).is(";")) {
            index++;
        }
        return index < 0 ? 0 : source.tokens.get(index).end();
    }

    /** Whether what is imported is still named somewhere. */
    private boolean isUsed(Import one) {
        if (one.isWildcard()) {
            return !kept.isEmpty();
        }
        String name = one.simpleName();
        return IntStream.range(1, source.tokens.size()).anyMatch(i -> isUse(i, name, one.end()));
    }

    private boolean isUse(int index, String name, int from) {
        Token token = source.tokens.get(index);
        boolean isPart = source.tokens.get(index - 1).is(".");
        return token.start() > from && token.is(name) && !isPart && !isEdited(token.start());
    }

    private boolean isEdited(int offset) {
        Map.Entry<Integer, Edit> edit = edits.floorEntry(offset);
        return edit != null && offset < edit.getValue().end();
    }

    /** What of other libraries is left in code. */
    private void report(Project project, String path) {
        if (project.hasTimeLimits) {
            reportTimeouts(project, path);
        }
        for (Token token : source.tokens) {
            if (token.kind() == Kind.STRING && token.text().contains("resilience4j.")) {
                project.kept(path, source.line(token.start()), "a key of Resilience4j", "it is in a string");
            }
        }
        for (Import one : source.imports) {
            boolean isLeft = Libraries.isForeign(one.name()) && !isEdited(one.start());
            boolean isReported = kept.contains(one.simpleName()) || Libraries.SWITCHES.contains(one.name());
            if (isLeft
                    && !isReported
                    && !one.name().endsWith("annotation.Backoff")
                    && !one.name().endsWith(".Recover")) {
                project.kept(path, source.line(one.start()), one.name(), Libraries.whyKept(one.name()));
            }
        }
    }

    /** The JDK's exception may come from elsewhere as well, so it is not renamed. */
    private void reportTimeouts(Project project, String path) {
        boolean isImported = source.imports.stream()
                .anyMatch(one -> one.name().equals(TIMEOUT) || one.name().equals("java.util.concurrent.*"));
        source.tokens.stream()
                .filter(token -> isImported && token.is("TimeoutException"))
                .filter(token -> source.imports.stream().noneMatch(one -> token.start() < one.end()))
                .findFirst()
                .ifPresent(
                        token -> project.decide(
                                path,
                                source.line(token.start()),
                                "TimeoutException",
                                "a @TimeLimit ends with TimeLimitExceededException, which is no TimeoutException: handle that, too"));
    }
}
