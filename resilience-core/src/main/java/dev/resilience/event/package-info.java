/** What happened: events, the outcomes that they tell, and the listener that hears of them. */
@NullMarked
package dev.resilience.event;

import org.jspecify.annotations.NullMarked;
