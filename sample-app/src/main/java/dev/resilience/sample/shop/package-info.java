/** The order service. {@code OrderService} is where the annotations are. */
@NullMarked
package dev.resilience.sample.shop;

import org.jspecify.annotations.NullMarked;
