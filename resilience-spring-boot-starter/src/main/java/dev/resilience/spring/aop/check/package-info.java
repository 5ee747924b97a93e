/** What is looked at once, when the application starts, to warn of protection that would not work. */
@NullMarked
package dev.resilience.spring.aop.check;

import org.jspecify.annotations.NullMarked;
