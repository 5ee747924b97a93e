/** The live objects of an application, and the exception for what cannot work. */
@NullMarked
package dev.resilience.spring;

import org.jspecify.annotations.NullMarked;
