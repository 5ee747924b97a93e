package dev.resilience.spring.aop;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The order of the layers around a method.
 *
 * @param kinds the outermost first
 */
public record LayerOrder(List<Kind<?, ?>> kinds) {

    /** The order that holds unless the application says otherwise. */
    public static LayerOrder standard(Kinds kinds) {
        return new LayerOrder(kinds.layers());
    }

    /**
     * The order that is written.
     *
     * @param written the names of the layers, the outermost first
     * @throws ResilienceConfigurationException unless every layer is there once; those that may be left out keep their place
     */
    public static LayerOrder of(List<String> written, Kinds kinds) {
        List<String> names = completed(written, kinds.layers());
        List<String> all = kinds.layers().stream().map(Kind::layerName).toList();
        List<ResilienceConfigurationException> mistakes = new ArrayList<>();
        Set<String> unknown = new LinkedHashSet<>(names);
        unknown.removeAll(all);
        for (String name : unknown) {
            mistakes.add(
                    name.equals("rate-limit")
                            ? mistake("this version has no rate limits", "Remove 'rate-limit'.", kinds)
                            : mistake("'" + name + "' is not a layer", NearestNames.suggest(name, all), kinds));
        }
        for (String name : all) {
            if (names.indexOf(name) != names.lastIndexOf(name)) {
                mistakes.add(mistake("'" + name + "' is there twice", "Name every layer once.", kinds));
            }
        }
        Set<String> missing = new LinkedHashSet<>(all);
        missing.removeAll(names);
        unknown.remove("rate-limit");
        if (missing.size() > unknown.size()) { // an unknown name stands for one of them
            mistakes.add(mistake(missing + " is missing", "Name every layer once.", kinds));
        }
        if (!mistakes.isEmpty()) {
            throw ResilienceConfigurationException.of(mistakes);
        }
        return new LayerOrder(names.stream()
                .<Kind<?, ?>>map(name -> kinds.layers().get(all.indexOf(name)))
                .toList());
    }

    /** With the layers that may be left out, each inside of the one that it stands inside of in the default order. */
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

    /** Whether a layer stands inside of the layer of a name. */
    boolean isInside(Kind<?, ?> kind, String outer) {
        List<String> names = kinds.stream().map(Kind::layerName).toList();
        return names.indexOf(kind.layerName()) > names.indexOf(outer) && names.contains(outer);
    }

    private static ResilienceConfigurationException mistake(String why, String cure, Kinds kinds) {
        List<String> optional = kinds.layers().stream()
                .filter(Kind::mayBeLeftOutOfOrder)
                .map(Kind::layerName)
                .toList();
        return new ResilienceConfigurationException(
                MistakeKind.VALUES,
                "The property 'resilience.order' must name every layer once, the outermost first, but " + why,
                cure + " The default is: "
                        + String.join(
                                ", ",
                                kinds.layers().stream().map(Kind::layerName).toList()) + "; '"
                        + String.join("' and '", optional) + "' may be left out.");
    }
}
