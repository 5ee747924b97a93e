package dev.resilience.spring.idempotency;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** How arguments and results become bytes. */
public interface Json {

    /** How arguments of these types are written: map entries and elements of sets are sorted. */
    ArgumentCodec arguments(List<ResolvableType> parameters);

    /** How results of a type are written and read back. */
    ResultCodec codec(ResolvableType type);

    /** Why results of a type could not be read back, or {@code null} if they can. */
    @Nullable
    String whyNotReadable(ResolvableType type);

    /** Why arguments of a type could not be written, or {@code null} if they can. */
    @Nullable
    String whyNotWritable(ResolvableType type);
}
