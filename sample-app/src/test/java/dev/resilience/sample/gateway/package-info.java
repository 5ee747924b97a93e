@NullMarked
package dev.resilience.sample.gateway;

import org.jspecify.annotations.NullMarked;
