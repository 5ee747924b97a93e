package dev.resilience.spring.reactor;

import java.util.function.Function;
import org.springframework.security.concurrent.DelegatingSecurityContextRunnable;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** Who subscribes, as Spring Security's reactive context holder knows it; what runs for the caller finds it on its thread. */
@FunctionalInterface
interface ReactiveCaller {

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

        static Mono<ReactiveCaller> caller() {
            return Mono.deferContextual(reactor -> ReactiveSecurityContextHolder.getContext()
                    .map(found -> of(found.getAuthentication() == null ? new UnauthenticatedContext() : found))
                    .defaultIfEmpty(isRequest(reactor) ? of(new UnauthenticatedContext()) : Runnable::run));
        }

        /** Whether a filter has put something there: Spring Security's, or this library's where no filter chain matches. */
        private static boolean isRequest(ContextView reactor) {
            return reactor.hasKey(SecurityContext.class) || ReactiveRequest.of(reactor) != null;
        }

        private static ReactiveCaller of(SecurityContext context) {
            return action -> new DelegatingSecurityContextRunnable(action, context).run();
        }
    }
}
