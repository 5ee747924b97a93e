package dev.resilience.spring.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;

/**
 * One call of a protected method, for the conventions, filters, predicates and handlers of an application, which tell it by
 * its type. It has the keys that the documentation of traces lists, and none of the call's arguments, keys and results.
 */
public final class ProtectedCallContext extends Observation.Context {

    ProtectedCallContext(String name, KeyValues keys) {
        setContextualName(name);
        addLowCardinalityKeyValues(keys);
    }
}
