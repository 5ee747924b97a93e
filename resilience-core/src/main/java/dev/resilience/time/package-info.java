/** Where every wait and every timestamp comes from. */
@NullMarked
package dev.resilience.time;

import org.jspecify.annotations.NullMarked;
