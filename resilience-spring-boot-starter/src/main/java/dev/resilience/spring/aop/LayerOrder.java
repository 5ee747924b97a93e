package dev.resilience.spring.aop;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order of the layers around a method.
 *
 * @param kinds the outermost first
 */
public record LayerOrder(List<Kind<?, ?>> kinds) {

    /**
     * The order that is configured; the default in place of one that is none, which is reported.
     *
     * @param names the names of the layers, the outermost first; those that may be left out keep their place
     * @param place of the property, in words
     */
    public static LayerOrder of(List<String> names, Kinds kinds, StartupProblems problems, String place) {
        List<Kind<?, ?>> layers = kinds.layers();
        List<String> all = layers.stream().map(Kind::layerName).toList();
        List<String> optional = layers.stream()
                .filter(Kind::mayBeLeftOutOfOrder)
                .map(Kind::layerName)
                .toList();
        List<String> order = completed(names, layers);
        Map<String, String> wrong = wrong(order, all);
        wrong.forEach((what, cure) -> problems.add(new ResilienceConfigurationException(
                ProblemKind.VALUES,
                "The property 'resilience.order' must name every layer once, the outermost first, but " + what + "\n\n"
                        + place,
                cure + " The default is: " + String.join(", ", all) + "; '" + String.join("' and '", optional)
                        + "' may be left out.")));
        List<Kind<?, ?>> inOrder = new ArrayList<>(layers);
        if (wrong.isEmpty()) {
            inOrder.sort(Comparator.comparingInt(kind -> order.indexOf(kind.layerName())));
        }
        return new LayerOrder(inOrder);
    }

    /** What is wrong with an order, with the cure of each. */
    private static Map<String, String> wrong(List<String> order, List<String> all) {
        Map<String, String> wrong = new LinkedHashMap<>();
        Set<String> unknown = new LinkedHashSet<>(order);
        unknown.removeAll(all);
        Set<String> missing = new LinkedHashSet<>(all);
        missing.removeAll(order);
        for (String name : unknown) {
            wrong.put("'" + name + "' is not a layer", NearestNames.suggest(name, all));
        }
        all.stream()
                .filter(name -> order.indexOf(name) != order.lastIndexOf(name))
                .forEach(name -> wrong.put("'" + name + "' is there twice", "Name every layer once."));
        if (missing.size() > unknown.size()) { // an unknown name stands for one of them
            wrong.put(missing + " is missing", "Name every layer once.");
        }
        return wrong;
    }

    /** With the layers that may be left out, each inside the one that it stands inside in the default order. */
    private static List<String> completed(List<String> written, List<Kind<?, ?>> layers) {
        List<String> names = new ArrayList<>(written);
        Set<String> added = new HashSet<>();
        for (Kind<?, ?> kind : layers) {
            if (kind.mayBeLeftOutOfOrder() && !names.contains(kind.layerName())) {
                int place = names.indexOf(kind.inside()) + 1;
                while (place < names.size() && added.contains(names.get(place))) {
                    place++; // of several, the one that comes first in the default order
                }
                names.add(place, kind.layerName());
                added.add(kind.layerName());
            }
        }
        return names;
    }

    /** Whether a layer stands inside the layer of a name. */
    boolean isInside(Kind<?, ?> kind, String outer) {
        List<String> names = kinds.stream().map(Kind::layerName).toList();
        return names.indexOf(kind.layerName()) > names.indexOf(outer) && names.contains(outer);
    }
}
