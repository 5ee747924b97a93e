package dev.resilience.spring.kind;

import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** What a kind makes the live object of one policy with. */
public interface KindContext {

    /** Why something cannot be kept in a database, for messages. */
    String NEEDS_DATA_SOURCE = "needs a DataSource bean, a single or a primary one; "
            + "'org.springframework.boot:spring-boot-starter-jdbc' brings it";

    /** Why something cannot be kept in Redis, for messages. */
    String NEEDS_REDIS = "needs a RedisConnectionFactory bean, a single or a primary one; "
            + "'org.springframework.boot:spring-boot-starter-data-redis' brings it";

    /** What every live object works with. */
    Environment environment();

    /** Where every wait and every timestamp comes from. */
    default TimeSource time() {
        return environment().time();
    }

    /**
     * The same with waits for the calls of this policy alone, which have threads for those that go on after one, and end with
     * the application. Asked for once at the most.
     */
    Environment environmentWithWaits();

    /** What works differently from how it looks. */
    StartupWarnings warnings();

    /** Beans of the application, which are made now if they are not there yet. */
    <T> ObjectProvider<T> beans(Class<T> type);

    /** Property, value and origin of a key of this policy or of the one that it inherits the key from, for messages. */
    String describe(String key, @Nullable Object value);

    /** The policies of another kind. */
    <M extends LiveObject<?>> Policies<M> others(Class<? extends ConfiguredKind<?, ?, M>> kind);

    /** Notes that this policy uses one of another kind. Returns whether that is switched on. */
    boolean use(Class<? extends ConfiguredKind<?, ?, ?>> kind, String policy);

    /** Notes what uses this policy, if that is no method. */
    void usedBy(String user);

    /** Layers in the application's order, the outermost first. */
    List<Layer> inOrder(Map<String, ? extends Layer> byKind);

    /**
     * The policies of another kind, for a policy that needs one of them.
     *
     * @param <L> the live object
     */
    interface Policies<L> {

        /** The live object of a name; {@code null} if nothing is configured of it, or it is a problem. */
        @Nullable
        L find(String name);

        /**
         * The live object of a name, created from the {@code default} policy if nothing is configured; {@code null} for a
         * problem.
         */
        @Nullable
        L findOrCreate(String name);

        /** Whether the policy is configured but cannot be created, which is a problem that is reported already. */
        boolean isBroken(String name);

        /** The names of those that can be created. */
        Set<String> names();
    }
}
