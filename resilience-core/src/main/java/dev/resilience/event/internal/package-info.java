/** How listeners are told, and what counts calls. Not for applications. */
@NullMarked
package dev.resilience.event.internal;

import org.jspecify.annotations.NullMarked;
