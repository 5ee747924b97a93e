/** The policies that annotations name, and those that they bring with them. */
@NullMarked
package dev.resilience.spring.aop.policy;

import org.jspecify.annotations.NullMarked;
