package dev.resilience.spring.migration;

import dev.resilience.spring.migration.JavaSource.Element;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the {@code @Recover} methods of a file that answer for a method, and tells which of them can go. Spring Retry looks
 * for them by their types; a fallback is named where it is used.
 */
final class Recovers {

    private static final String THROWABLE = ".*(Exception|Throwable|Error)";

    private final List<Element> recovers = new ArrayList<>();
    private final Set<Element> named = new HashSet<>();
    private final Set<Element> needed = new HashSet<>();

    void add(Element recover) {
        recovers.add(recover);
    }

    /** The name of the method that answers for this one, in quotes; {@code null} if none does. */
    @Nullable
    String find(Element method, @Nullable String name) throws Undecided {
        List<Element> found = of(method).stream()
                .filter(recover -> name != null ? name.equals('"' + recover.method() + '"') : answers(recover, method))
                .toList();
        Set<String> names =
                found.stream().map(recover -> '"' + recover.method() + '"').collect(Collectors.toSet());
        if (method.method() == null && !of(method).isEmpty()) {
            throw new Undecided("name the @Recover methods of this type in @Fallback on the methods they answer for");
        }
        if (names.size() > 1) {
            throw new Undecided("its @Recover methods "
                    + String.join(" and ", names.stream().sorted().toList())
                    + " answer for different exceptions: give them one name");
        }
        named.addAll(found);
        return names.isEmpty() ? name : names.iterator().next();
    }

    /** A method that stays as it is needs its {@code @Recover} methods. */
    void keep(Element method) {
        of(method).stream()
                .filter(recover -> method.method() == null || answers(recover, method))
                .forEach(needed::add);
    }

    /** Those that some fallback names, and that nothing else needs. */
    List<Element> converted() {
        return recovers.stream()
                .filter(recover -> named.contains(recover) && !needed.contains(recover))
                .toList();
    }

    List<Element> kept() {
        return recovers.stream()
                .filter(recover -> !converted().contains(recover))
                .toList();
    }

    private List<Element> of(Element method) {
        return recovers.stream()
                .filter(recover -> recover.scope().equals(method.scope()))
                .toList();
    }

    /** By the return type and the first parameters, as far as their names tell. */
    private static boolean answers(Element recover, Element method) {
        List<String> parameters = recover.parameters();
        boolean takesException = !parameters.isEmpty() && parameters.get(0).matches(THROWABLE);
        List<String> arguments = parameters.subList(takesException ? 1 : 0, parameters.size());
        return recover.returnType().equals(method.returnType())
                && arguments.size() <= method.parameters().size()
                && arguments.equals(method.parameters().subList(0, arguments.size()));
    }
}
