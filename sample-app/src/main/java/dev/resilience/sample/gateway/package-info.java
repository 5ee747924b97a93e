/** A payment gateway that misbehaves on request: somebody else's system, of which the shop knows only the address. */
@NullMarked
package dev.resilience.sample.gateway;

import org.jspecify.annotations.NullMarked;
