/** The layers around one method, composed once and walked on every call. */
@NullMarked
package dev.resilience.pipeline;

import org.jspecify.annotations.NullMarked;
