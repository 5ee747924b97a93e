/**
 * The converter that rewrites annotations of other libraries and prints their configuration as YAML of this one. It is run by
 * {@code java -jar} on the starter's own jar, needs the JDK alone, and no application loads it.
 */
@NullMarked
package dev.resilience.spring.migration;

import org.jspecify.annotations.NullMarked;
