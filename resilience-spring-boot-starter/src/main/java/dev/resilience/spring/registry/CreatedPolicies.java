package dev.resilience.spring.registry;

import dev.resilience.event.PolicyAdded;
import dev.resilience.event.PolicyRemoved;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The policies that code makes while the application runs, as many of a kind as are allowed. Safe for use by many threads. */
final class CreatedPolicies {

    private final RegistryFactory factory;
    private final LiveRegistry live;
    private final int mostOfKind;

    /** By the id of their kind and their name: what was made for them, themselves last. */
    private final Map<String, Map<String, List<Made>>> byKind = new HashMap<>();

    CreatedPolicies(RegistryFactory factory, LiveRegistry live, int mostOfKind) {
        this.factory = factory;
        this.live = live;
        this.mostOfKind = mostOfKind;
    }

    private record Made(String kind, String name) {}

    /**
     * The live object of a name, made of a policy if there is none.
     *
     * @throws IllegalStateException if code has made as many of the kind as are allowed
     */
    <P extends Record, L extends LiveObject<P>> L getOrCreate(
            ConfiguredKind<?, P, L> kind, String name, Supplier<P> policy) {
        L found = find(kind, name);
        if (found != null) {
            return found;
        }
        List<Made> made = new ArrayList<>();
        L created;
        synchronized (this) {
            created = find(kind, name);
            if (created == null) {
                created = create(kind, name, policy.get(), made);
            }
        }
        // outside of the lock, because listeners may take long
        made.forEach(one ->
                factory.events().publish(() -> new PolicyAdded(factory.time().now(), one.kind, one.name)));
        return created;
    }

    private <P extends Record, L extends LiveObject<P>> L create(
            ConfiguredKind<?, P, L> kind, String name, P policy, List<Made> made) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A " + kind.id() + " policy needs a name, and '" + name + "' is blank");
        }
        Map<String, List<Made>> created = byKind.computeIfAbsent(kind.id(), id -> new HashMap<>());
        if (created.size() >= mostOfKind) {
            throw new IllegalStateException("The " + kind.id() + " policy '" + name + "' is not made: code has made "
                    + created.size() + " of this kind, which is the limit 'resilience.registry.max-created'. Use fewer "
                    + "names, such as one for each partner and none for each user or request; remove those that are not "
                    + "needed any more (ResilienceRegistry.remove); or raise the limit");
        }
        try {
            L live = factory.createLater(
                    kind, name, policy, (otherKind, otherName) -> made.add(new Made(otherKind, otherName)));
            made.add(new Made(kind.id(), name));
            created.put(name, List.copyOf(made));
            return live;
        } catch (RuntimeException | Error failed) {
            made.add(new Made(kind.id(), name));
            end(made);
            made.clear();
            throw failed;
        }
    }

    /** Removes what code has made, and returns whether there was one of that name. */
    boolean remove(ConfiguredKind<?, ?, ?> kind, String name) {
        List<Made> removed;
        synchronized (this) {
            if (find(kind, name) == null) {
                return false;
            }
            Map<String, List<Made>> created = byKind.getOrDefault(kind.id(), Map.of());
            if (!created.containsKey(name)) {
                throw new IllegalArgumentException("The " + kind.id() + " policy '" + name
                        + "' is configured and cannot be removed: only those can that getOrCreate has made");
            }
            List<String> users = live.usedBy(kind.id(), name);
            if (!users.isEmpty()) {
                throw new IllegalArgumentException(
                        "The " + kind.id() + " policy '" + name + "' cannot be removed: it is used by " + users);
            }
            removed = List.copyOf(created.remove(name));
            end(removed);
        }
        removed.forEach(one ->
                factory.events().publish(() -> new PolicyRemoved(factory.time().now(), one.kind, one.name)));
        return true;
    }

    private void end(List<Made> made) {
        made.forEach(one -> live.remove(one.kind, one.name));
    }

    private <L extends LiveObject<?>> @Nullable L find(ConfiguredKind<?, ?, L> kind, String name) {
        return live.<L>ofKind(kind.id()).get(name);
    }
}
