/** A payment gateway that misbehaves on request. It stands for a foreign system: the shop knows its address alone. */
@NullMarked
package dev.resilience.sample.gateway;

import org.jspecify.annotations.NullMarked;
