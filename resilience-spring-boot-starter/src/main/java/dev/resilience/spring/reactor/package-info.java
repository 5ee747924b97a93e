/** Calls whose result is a Reactor publisher: each subscription is one call through an asynchronous pipeline. */
@NullMarked
package dev.resilience.spring.reactor;

import org.jspecify.annotations.NullMarked;
