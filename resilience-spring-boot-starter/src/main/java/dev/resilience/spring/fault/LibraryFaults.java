package dev.resilience.spring.fault;

import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassifier;
import java.util.Map;

/**
 * What is known of the exceptions of Spring and of the libraries that it works with, by class name: none of them needs
 * to be there.
 */
public final class LibraryFaults implements FaultClassifier {

    private static final Map<String, Fault> KNOWN = Map.ofEntries(
            Map.entry("org.springframework.dao.TransientDataAccessException", Fault.TRANSIENT),
            Map.entry("org.springframework.dao.RecoverableDataAccessException", Fault.TRANSIENT),
            Map.entry("org.springframework.dao.DataIntegrityViolationException", Fault.PERMANENT),
            Map.entry("org.springframework.dao.PermissionDeniedDataAccessException", Fault.PERMANENT),
            Map.entry("org.springframework.security.core.AuthenticationException", Fault.PERMANENT),
            Map.entry("org.springframework.security.access.AccessDeniedException", Fault.PERMANENT),
            Map.entry("jakarta.validation.ValidationException", Fault.PERMANENT));

    @Override
    public Fault classify(Throwable failure) {
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            Fault fault = KNOWN.get(type.getName());
            if (fault != null) {
                return fault;
            }
        }
        return Fault.UNKNOWN;
    }
}
