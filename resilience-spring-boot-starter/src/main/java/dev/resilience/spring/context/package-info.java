/** What is bound to a thread and goes along where a call goes on with another one. */
@NullMarked
package dev.resilience.spring.context;

import org.jspecify.annotations.NullMarked;
