/** Protected calls as Micrometer's observations, which handlers of the application turn into traces and meters. */
@NullMarked
package dev.resilience.spring.observation;

import org.jspecify.annotations.NullMarked;
