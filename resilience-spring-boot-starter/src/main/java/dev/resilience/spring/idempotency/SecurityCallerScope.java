package dev.resilience.spring.idempotency;

import dev.resilience.idempotency.CallerScope;
import dev.resilience.spring.fault.ReflectiveAccessor;
import dev.resilience.spring.reactor.ReactiveCaller;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The authenticated principal's name, together with who vouches for it: the issuer of a token, the registration of an
 * OAuth2 client or of a SAML relying party, or else the kind of authentication. Tokens that name no issuer are taken for
 * those of one: Spring Security needs the name to trust several. Users of a password, remembered or not, are those of the
 * application itself. All who are not authenticated are one caller.
 */
public final class SecurityCallerScope implements CallerScope {

    /** In no issuer and no name of a class, so that no user can take a name that reads like an issuer's. */
    private static final char SEPARATOR = '\n';

    // of modules of Spring Security that need not be there
    private static final ReflectiveAccessor TOKEN = new ReflectiveAccessor("getTokenAttributes");
    private static final ReflectiveAccessor CLIENT = new ReflectiveAccessor("getAuthorizedClientRegistrationId");
    private static final ReflectiveAccessor RELYING_PARTY = new ReflectiveAccessor("getRelyingPartyRegistrationId");

    private final boolean hasRequests;

    /**
     * @param hasRequests whether Spring Security's filters look for each request's caller, and say so if there is none
     */
    public SecurityCallerScope(boolean hasRequests) {
        this.hasRequests = hasRequests;
    }

    /**
     * The scope of a method whose calls may begin on another thread than that of their request, on which nothing is known
     * of the caller: such a call is refused, because several users would be taken for one.
     */
    CallerScope ofMovingCalls(String method) {
        return hasRequests ? () -> knownCaller(method) : this;
    }

    private String knownCaller(String method) {
        SecurityContext context = SecurityContextHolder.getContext();
        if (context.getAuthentication() == null && !(context instanceof ReactiveCaller.Unauthenticated)) {
            throw new IllegalStateException(
                    "The @Idempotent method " + method + " was called on a thread of which Spring "
                            + "Security knows no caller, not even an anonymous one: a coroutine or a reactive operator may have "
                            + "left the request's thread. One caller could get another's result, so the call was not made. Call "
                            + "it on the request's thread, take the security context along, or put the caller into the key and "
                            + "choose a policy with 'scope: none'.");
        }
        return caller();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the caller is authenticated and has no name, as with a token without a subject
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
        if (TOKEN.of(authentication) instanceof Map<?, ?> claims && hasText(claims.get("iss"))) {
            return String.valueOf(claims.get("iss")); // two authorisation servers may each know a user of the same name
        }
        Object client = CLIENT.of(authentication);
        if (client != null) {
            return client.toString();
        }
        Object ofToken = RELYING_PARTY.of(authentication);
        Object party = ofToken == null ? RELYING_PARTY.of(authentication.getPrincipal()) : ofToken;
        return party == null ? kind.getName() : kind.getName() + '/' + party;
    }

    private static boolean hasText(@Nullable Object claim) {
        return claim != null && !claim.toString().isBlank();
    }
}
