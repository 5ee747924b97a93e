package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.CallerScope;
import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ReflectionUtils;

/**
 * The authenticated principal's name, together with who vouches for it: the issuer of a token, the registration of a
 * client, or else the kind of authentication. Users of a password, remembered or not, are those of the application
 * itself. All who are not authenticated are one caller.
 */
public final class SecurityCallerScope implements CallerScope {

    /** In no issuer and no name of a class, so that no user can take a name that reads like an issuer's. */
    private static final char SEPARATOR = '\n';

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the caller is authenticated and has no name, as with a token without subject
     */
    @Override
    public String caller() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication == null
                || !authentication.isAuthenticated()
                || authentication instanceof AnonymousAuthenticationToken) {
            return "";
        }
        String name = authentication.getName();
        if (name == null || name.isBlank()) {
            throw new IllegalStateException("The caller is authenticated but has no name ("
                    + authentication.getClass().getName()
                    + "), so its idempotency keys could not be kept apart from those of others and the call was "
                    + "not made. Give it a name, such as the claim 'sub' of a token, or define a bean of type "
                    + "CallerScope.");
        }
        String authority = authority(authentication);
        boolean isPlain = authority.isEmpty() && name.indexOf(SEPARATOR) < 0;
        return isPlain ? name : authority + SEPARATOR + name;
    }

    private static String authority(Authentication authentication) {
        Class<?> kind = authentication.getClass();
        if (kind == UsernamePasswordAuthenticationToken.class || kind == RememberMeAuthenticationToken.class) {
            return ""; // a subclass may be of a tenant, or of another directory
        }
        Object issuer =
                read(authentication, "getTokenAttributes") instanceof Map<?, ?> claims ? claims.get("iss") : null;
        if (issuer == null) {
            issuer = read(authentication, "getAuthorizedClientRegistrationId");
        }
        return issuer == null || issuer.toString().isBlank() ? kind.getName() : issuer.toString();
    }

    /** What a class of Spring Security's OAuth2 modules tells, which need not be there. */
    private static @Nullable Object read(Authentication authentication, String getter) {
        Method method = ReflectionUtils.findMethod(authentication.getClass(), getter);
        return method == null ? null : ReflectionUtils.invokeMethod(method, authentication);
    }
}
