/** What HTTP callers see: refusals as problem details. */
@NullMarked
package dev.resilience.spring.web;

import org.jspecify.annotations.NullMarked;
