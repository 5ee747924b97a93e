/** OpenRewrite recipes that move applications from other libraries to this one; no part of the runtime. */
@NullMarked
package dev.resilience.migration;

import org.jspecify.annotations.NullMarked;
