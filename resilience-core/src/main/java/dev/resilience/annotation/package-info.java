/** What a developer writes on a method. Nothing else lives here, so a domain module needs no more than this. */
@NullMarked
package dev.resilience.annotation;

import org.jspecify.annotations.NullMarked;
