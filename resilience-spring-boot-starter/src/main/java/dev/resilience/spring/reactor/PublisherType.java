package dev.resilience.spring.reactor;

import dev.resilience.context.ContextCarrier;
import org.jspecify.annotations.Nullable;

/** The publishers that a protected method may return, known by their names: an application need not have Reactor. */
public enum PublisherType {
    /** None or one value. */
    MONO("reactor.core.publisher.Mono") {
        @Override
        public ProtectedPublishers publishers(boolean idempotent, ContextCarrier carrier) {
            return idempotent ? new IdempotentMonos(carrier) : new ProtectedMonos();
        }
    },
    /** Any number of values. */
    FLUX("reactor.core.publisher.Flux") {
        @Override
        public ProtectedPublishers publishers(boolean idempotent, ContextCarrier carrier) {
            return ProtectedFlux::new;
        }
    };

    private final String className;

    PublisherType(String className) {
        this.className = className;
    }

    /** The publisher of a class; {@code null} for other classes, subclasses too. */
    public static @Nullable PublisherType of(@Nullable Class<?> type) {
        String name = type == null ? "" : type.getName();
        for (PublisherType publisher : values()) {
            if (publisher.className.equals(name)) {
                return publisher;
            }
        }
        return null;
    }

    /**
     * What makes the publishers of a method.
     *
     * @param idempotent whether its calls ask a store, which blocks
     * @param carrier takes along what is bound to the subscriber's thread to the one on which that is done
     */
    public abstract ProtectedPublishers publishers(boolean idempotent, ContextCarrier carrier);
}
