@NullMarked
package dev.resilience.spring;

import org.jspecify.annotations.NullMarked;
