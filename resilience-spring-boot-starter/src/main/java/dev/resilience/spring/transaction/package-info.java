/** The transaction in which a call was made, as far as a retry needs to know it. */
@NullMarked
package dev.resilience.spring.transaction;

import org.jspecify.annotations.NullMarked;
