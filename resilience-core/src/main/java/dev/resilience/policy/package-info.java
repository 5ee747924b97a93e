/** What all policies share: how they check their values. */
@NullMarked
package dev.resilience.policy;

import org.jspecify.annotations.NullMarked;
