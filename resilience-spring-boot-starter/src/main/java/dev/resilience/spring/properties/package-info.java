/** What is written below {@code resilience}: names, inheritance, origins, and how it is bound. */
@NullMarked
package dev.resilience.spring.properties;

import org.jspecify.annotations.NullMarked;
