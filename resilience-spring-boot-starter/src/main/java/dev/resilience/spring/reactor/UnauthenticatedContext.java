package dev.resilience.spring.reactor;

import org.springframework.security.core.context.SecurityContextImpl;

/**
 * What the thread of a call has in place of a security context if Spring Security has looked for a caller and found none. A
 * thread on which nothing was looked for has another empty context.
 */
public final class UnauthenticatedContext extends SecurityContextImpl {

    private static final long serialVersionUID = 1;
}
