/** Runs the bodies of calls on threads that are not their callers', and stops them. Not for applications. */
@NullMarked
package dev.resilience.worker;

import org.jspecify.annotations.NullMarked;
