package dev.resilience.spring.web;

import static dev.resilience.spring.WarningId.CONTEXT_NOT_PROPAGATED;

import dev.resilience.context.CallContext;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.reactor.ReactiveCallContext;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Makes the deadline of a WebFlux request, and that it is a repetition, known to what is called while it is handled: puts the
 * context of the call into Reactor's, from where Micrometer's context propagation takes it to the threads ({@link
 * CallContextAccessor}). {@link CallContextServletFilter} does the same for Spring MVC. Methods that return a
 * publisher find it in Reactor's in any case. Where it does not travel, the first request that brings a context is warned of.
 */
public record CallContextWebFilter(CallContextExtractor calls, StartupWarnings warnings) implements WebFilter, Ordered {

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 10;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        HttpHeaders headers = exchange.getRequest().getHeaders();
        CallContext context = calls.context(name -> headers.getOrDefault(name, List.of()));
        if (!context.equals(CallContext.NONE)) {
            warnIfUnheard();
        }
        return chain.filter(exchange).contextWrite(reactor -> ReactiveCallContext.in(reactor, context, exchange));
    }

    /** Warns, once, where what this filter reads reaches no methods but those that return a publisher. */
    public void warnIfUnheard() {
        if (calls.reachMethods()) {
            return;
        }
        warnings.add(CONTEXT_NOT_PROPAGATED.of("In this WebFlux application the deadline of a request reaches "
                + "protected methods that return a Mono or Flux and no others, and so does its X-Attempt-Number. For "
                + "the others set 'spring.reactor.context-propagation: auto', with io.micrometer:context-propagation "
                + "on the class path"));
    }
}
