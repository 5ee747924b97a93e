/** Which methods are protected, by which annotations, and what can be told of a method before it is called. */
@NullMarked
package dev.resilience.spring.aop.method;

import org.jspecify.annotations.NullMarked;
