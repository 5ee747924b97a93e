/** Outgoing HTTP: what protects requests by their hosts, and what goes along with them. */
@NullMarked
package dev.resilience.spring.client;

import org.jspecify.annotations.NullMarked;
