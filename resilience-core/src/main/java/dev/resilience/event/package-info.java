/** What happened: events and their listener, the outcomes that are counted, and what publishes and counts them. */
@NullMarked
package dev.resilience.event;

import org.jspecify.annotations.NullMarked;
