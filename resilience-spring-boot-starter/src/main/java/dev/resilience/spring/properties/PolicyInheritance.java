package dev.resilience.spring.properties;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;

/** The policies of one kind as they are written, and what each of them starts from. */
final class PolicyInheritance {

    private static final String DEFAULT = "default";

    /** Before the name of a preset that a policy hides by its own name and starts from all the same. */
    private static final String HIDDEN = "preset ";

    private final PolicyKind kind;
    private final ConfiguredProperties keys;
    private final PlaceholdersResolver placeholders;
    private final PolicyBeans beans;
    private final Set<String> presets;
    private final Map<String, ConfigurationPropertyName> properties;
    private final Map<String, List<String>> chains = new HashMap<>();
    private final Set<String> broken = new HashSet<>();

    PolicyInheritance(PolicyKind kind, ConfiguredProperties keys, PlaceholdersResolver placeholders) {
        this.kind = kind;
        this.keys = keys;
        this.placeholders = placeholders;
        PoliciesInCode code = keys.code();
        this.beans = code == null ? PolicyBeans.none() : code.beans();
        this.presets = kind.presets().keySet();
        this.properties = new TreeMap<>(keys.policies(kind));
        this.properties.putIfAbsent(
                DEFAULT, ConfigurationPropertyName.of(kind.prefix()).append(DEFAULT));
    }

    /** The names of all policies in alphabetical order; {@code default} is one of them, whether written or not. */
    Set<String> names() {
        return properties.keySet();
    }

    /** Where a policy is written, or {@code null} if there is none of that name. */
    @Nullable
    ConfigurationPropertyName find(String name) {
        ConfigurationPropertyName written = properties.get(name);
        PoliciesInCode code = keys.code();
        return written == null && code != null ? code.find(kind, name) : written;
    }

    /** The values that the links of a chain are laid over: those of the bean at its end, or else the defaults. */
    Record base(List<String> chain, Record defaults) {
        Record bean = beans.find(kind, chain.get(chain.size() - 1));
        return bean == null ? defaults : bean;
    }

    /** The bean that a policy starts from in the end, or {@code null} if it is none. */
    @Nullable
    String bean(String name) {
        List<String> chain = chain(name);
        String last = chain.get(chain.size() - 1);
        return beans.names(kind).contains(last) ? last : null;
    }

    /** What the customizers of the application make of a policy. */
    <P extends Record> P customize(String name, P policy) {
        return beans.customize(kind, name, policy);
    }

    /**
     * The function that a text stands for.
     *
     * @param place of the text in words
     */
    @Nullable
    Object function(String name, String text, ResolvableType type, Supplier<String> place) {
        return new PolicyFunction(beans.factory(), kind, name, type, text, place).read();
    }

    /**
     * The policy itself, then what it starts from, and so on: up to {@code default} or a preset. A chain that is broken is
     * thrown as a mistake when it is first asked for. After that {@code default} stands in for what is missing, so that the
     * policy's own values can be checked.
     */
    List<String> chain(String name) {
        List<String> known = chains.get(name);
        if (known != null) {
            return known;
        }
        Set<String> chain = new LinkedHashSet<>();
        try {
            String link = name;
            while (link != null) {
                if (!chain.add(link)) {
                    throw circle(chain, link);
                }
                String parent = find(link) != null ? parent(link) : null;
                link = link.equals(parent) && presets.contains(parent) ? HIDDEN + parent : parent;
            }
        } catch (ResilienceConfigurationException mistake) {
            broken.add(name);
            chain.add(DEFAULT);
            throw mistake;
        } finally {
            chains.put(name, List.copyOf(chain));
        }
        return List.copyOf(chain);
    }

    /** Whether {@code default} stands in for what a policy starts from, because that does not exist. */
    boolean isBroken(String name) {
        return broken.contains(name);
    }

    /** The preset that a policy starts from in the end, or {@code null} if that is {@code default}. */
    @Nullable
    String preset(String name) {
        List<String> chain = chain(name);
        String last = chain.get(chain.size() - 1);
        return find(last) != null ? null : presetOf(last);
    }

    /** What a link of a chain says of a key, if it is a preset; {@code null} if it says nothing or is none. */
    @Nullable
    String preset(String link, String key) {
        return kind.presets().getOrDefault(presetOf(link), Map.of()).get(key);
    }

    /** The preset that a link of a chain may be. */
    private static String presetOf(String link) {
        return link.startsWith(HIDDEN) ? link.substring(HIDDEN.length()) : link;
    }

    private @Nullable String parent(String name) {
        ConfigurationPropertyName key = property(name, "extends");
        String parent = keys.text(key, placeholders);
        boolean isBean = beans.names(kind).contains(name);
        if (parent == null) {
            return name.equals(DEFAULT) || isBean ? null : DEFAULT;
        }
        if (isBean) {
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "The " + kind.id() + " policy '" + name + "' extends '" + parent + "', but starts from the bean '"
                            + name + "', which is a policy:\n\n" + keys.describe(key),
                    "Remove '" + key + "', or give the bean another name and extend that.");
        }
        if (find(parent) == null && !presets.contains(parent)) {
            Set<String> known = new TreeSet<>(names());
            known.addAll(presets);
            known.remove(name);
            throw new ResilienceConfigurationException(
                    MistakeKind.POLICIES,
                    "The " + kind.id() + " policy '" + name + "' extends '" + parent + "', which does not exist:\n\n"
                            + keys.describe(key),
                    "Correct the name. " + NearestNames.suggest(parent, known));
        }
        return parent;
    }

    private ResilienceConfigurationException circle(Set<String> chain, String first) {
        List<String> all = new ArrayList<>(chain);
        List<String> links = all.subList(all.indexOf(first), all.size());
        // the same wherever one enters it
        String link = links.stream().min(Comparator.naturalOrder()).orElse(first);
        Collections.rotate(links, -links.indexOf(link));
        String circle = String.join(" -> ", links) + " -> " + link;
        String written = links.stream()
                .filter(one -> keys.contains(property(one, "extends")))
                .findFirst()
                .orElse(link);
        return new ResilienceConfigurationException(
                MistakeKind.POLICIES,
                "The " + kind.id() + " policies start from each other in a circle: " + circle
                        + " (a policy without 'extends' starts from 'default')\n\n"
                        + keys.describe(property(written, "extends")),
                "Remove one 'extends' under '" + kind.prefix() + "'.");
    }

    /** The property that gives a policy the value of a key: its own or one of those that it starts from. */
    ConfigurationPropertyName origin(String name, String key) {
        return chain(name).stream()
                .filter(link -> find(link) != null)
                .map(link -> property(link, key))
                .filter(keys::contains)
                .findFirst()
                .orElseGet(() -> property(name, key));
    }

    private ConfigurationPropertyName property(String name, String key) {
        return Objects.requireNonNull(find(name)).append(key);
    }
}
