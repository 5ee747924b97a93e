package dev.resilience.simulation;

import java.util.function.Consumer;

/** Somebody who answers requests, sooner or later. */
interface Endpoint {

    void answer(Request request, Consumer<Answer> caller);
}
