package dev.resilience.spring.idempotency;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** How arguments and results become bytes. */
public interface Json {

    /** Arguments as bytes that are equal whenever the arguments are: map entries and elements of sets are sorted. */
    byte[] describe(@Nullable Object[] arguments);

    /** How results of a type are written and read back. */
    ResultCodec codec(ResolvableType type);

    /** Why results of a type could not be read back, or {@code null} if they can. */
    @Nullable
    String whyNotReadable(ResolvableType type);

    /** Why arguments of a type could not be written, or {@code null} if they can. */
    @Nullable
    String whyNotWritable(ResolvableType type);
}
