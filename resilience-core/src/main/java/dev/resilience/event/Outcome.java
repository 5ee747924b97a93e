package dev.resilience.event;

import java.util.Locale;

/** How a call ended for one kind of policy; implemented by one enum a kind. */
public interface Outcome {

    /** The enum constant's name. */
    String name();

    /** The name in metrics, events and the actuator: lower case with underscores. */
    default String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
