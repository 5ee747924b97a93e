/** What is known of the exceptions of Spring and of the libraries that it works with. */
@NullMarked
package dev.resilience.spring.fault;

import org.jspecify.annotations.NullMarked;
