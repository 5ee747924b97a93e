package dev.resilience.spring.fallback;

import dev.resilience.spring.kind.ProtectedCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whose methods a fallback names, and the object on which they are called. */
sealed interface FallbackOwner permits OwnBean, NamedBean {

    /** Its methods, each once, as it overrides them. */
    List<FallbackCandidate> methods();

    /** Why a method that matches cannot be called; {@code null} if it can. */
    @Nullable
    String refuses(FallbackCandidate candidate, FallbackCandidate protectedMethod);

    /** The object that answers for a call; {@code null} for a static method of a class without one. */
    @Nullable
    Object objectFor(ProtectedCall call);

    /** For messages: {@code com.example.Shop}. */
    @Override
    String toString();
}
