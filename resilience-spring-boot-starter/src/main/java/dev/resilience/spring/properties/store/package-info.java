/** What is written of the stores: where they keep what must outlive a call. */
@NullMarked
package dev.resilience.spring.properties.store;

import org.jspecify.annotations.NullMarked;
