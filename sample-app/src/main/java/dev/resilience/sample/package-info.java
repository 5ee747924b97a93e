/** An order service, and the payment gateway that it calls. */
@NullMarked
package dev.resilience.sample;

import org.jspecify.annotations.NullMarked;
