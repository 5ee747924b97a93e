/** The advice where AspectJ weaves it into the classes themselves, in place of proxies. */
@NullMarked
package dev.resilience.spring.weaving;

import org.jspecify.annotations.NullMarked;
