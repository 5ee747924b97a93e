/** What the page shows: the load, the last minute of this shop and of its unprotected twin, and the latest orders. */
@NullMarked
package dev.resilience.sample.show;

import org.jspecify.annotations.NullMarked;
