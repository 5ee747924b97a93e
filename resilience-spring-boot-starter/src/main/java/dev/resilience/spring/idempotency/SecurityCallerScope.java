package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.CallerScope;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** The authenticated principal's name; all who are not authenticated are one caller. */
public final class SecurityCallerScope implements CallerScope {

    @Override
    public String caller() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication == null || !authentication.isAuthenticated()) {
            return "";
        }
        return authentication instanceof AnonymousAuthenticationToken ? "" : authentication.getName();
    }
}
