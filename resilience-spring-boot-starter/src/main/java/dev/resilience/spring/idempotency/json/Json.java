package dev.resilience.spring.idempotency.json;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** How results become bytes. */
public interface Json {

    /** How results of a type are written and read back. */
    ResultCodec codec(ResolvableType type);

    /** How the values of several types become one JSON array and an {@code Object[]} again. */
    ResultCodec arrayCodec(List<ResolvableType> types);

    /** Why results of a type could not be read back, or {@code null} if they can. */
    @Nullable
    String whyNotReadable(ResolvableType type);
}
