/** Spring Cloud's circuit breakers, made of the library's. */
@NullMarked
package dev.resilience.spring.cloud;

import org.jspecify.annotations.NullMarked;
