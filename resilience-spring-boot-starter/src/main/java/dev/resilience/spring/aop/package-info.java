/** The one advice: which methods are protected, and the plan that each of their calls follows. */
@NullMarked
package dev.resilience.spring.aop;

import org.jspecify.annotations.NullMarked;
