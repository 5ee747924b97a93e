/** What happened: events, the outcomes that are counted, and the listener that hears of both. */
@NullMarked
package dev.resilience.event;

import org.jspecify.annotations.NullMarked;
