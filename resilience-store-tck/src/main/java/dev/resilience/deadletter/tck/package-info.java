/** The tests that every store of dead letters must pass: the library's own, and a store of yours. */
@NullMarked
package dev.resilience.deadletter.tck;

import org.jspecify.annotations.NullMarked;
