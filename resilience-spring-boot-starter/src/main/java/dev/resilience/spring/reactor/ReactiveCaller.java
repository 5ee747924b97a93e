package dev.resilience.spring.reactor;

import java.util.function.Function;
import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/**
 * The subscriber's identity, as Spring Security's reactive context holder knows it; what runs for the caller finds it on its
 * thread.
 */
@FunctionalInterface
public interface ReactiveCaller {

    /** Runs an action, with the caller on its thread. */
    void run(Runnable action);

    /** Asks for the caller, which may take time but no thread, and goes on with it. */
    static Mono<Object> known(Function<ReactiveCaller, Mono<Object>> call) {
        boolean hasSecurity = ClassUtils.isPresent(
                "org.springframework.security.core.context.ReactiveSecurityContextHolder",
                ReactiveCaller.class.getClassLoader());
        return hasSecurity ? Security.caller().flatMap(call) : call.apply(Runnable::run);
    }

    /** Apart, because Spring Security need not be there. */
    final class Security {

        private Security() {}

        /** In a request, a filter has put something there: Spring Security's, or this library's where no filter chain matches. */
        static Mono<ReactiveCaller> caller() {
            return Mono.deferContextual(reactor -> {
                boolean isRequest =
                        reactor.hasKey(SecurityContext.class) || ReactiveCallContext.requestOf(reactor) != null;
                return ReactiveSecurityContextHolder.getContext()
                        .map(found -> of(found.getAuthentication() == null ? new Unauthenticated() : found))
                        .defaultIfEmpty(isRequest ? of(new Unauthenticated()) : Runnable::run);
            });
        }

        private static ReactiveCaller of(SecurityContext context) {
            return action -> new DelegatingSecurityContextRunnable(action, context).run();
        }
    }

    /**
     * What the thread of a call has in place of a security context if Spring Security has looked for a caller and found none.
     * A thread on which nothing was looked for has another empty context.
     */
    final class Unauthenticated extends SecurityContextImpl {

        private static final long serialVersionUID = 1;
    }
}
