/**
 * The one advice: which methods are protected and by which policies, the plan that each of their calls follows, and what is
 * checked of them at startup.
 */
@NullMarked
package dev.resilience.spring.aop;

import org.jspecify.annotations.NullMarked;
