/** Hedge: a second attempt beside a slow first one, of which the first answer counts. */
@NullMarked
package dev.resilience.hedge;

import org.jspecify.annotations.NullMarked;
