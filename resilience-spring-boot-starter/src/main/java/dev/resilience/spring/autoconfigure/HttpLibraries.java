package dev.resilience.spring.autoconfigure;

import dev.resilience.context.Deadline;
import dev.resilience.spring.client.HttpClients;
import dev.resilience.time.TimeSource;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpStatusClass;
import java.io.IOException;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.hc.client5.http.classic.ExecChain;
import org.apache.hc.client5.http.classic.ExecChainHandler;
import org.apache.hc.client5.http.impl.ChainElement;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpResponse;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JettyClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.boot.http.client.reactive.HttpComponentsClientHttpConnectorBuilder;
import org.springframework.boot.http.client.reactive.JdkClientHttpConnectorBuilder;
import org.springframework.boot.http.client.reactive.JettyClientHttpConnectorBuilder;
import org.springframework.boot.http.client.reactive.ReactorClientHttpConnectorBuilder;
import org.springframework.http.HttpHeaders;
import reactor.netty.NettyPipeline;
import reactor.netty.http.client.HttpClient;

/**
 * What the libraries below Spring's clients must not do by themselves, and what they have to tell: that an answer redirects. Each
 * stands in a class of its own, because none of them may be there.
 */
@SuppressWarnings("overloads") // one bean for both interfaces
record HttpLibraries(HttpClients clients, TimeSource time)
        implements ClientHttpRequestFactoryBuilderCustomizer<ClientHttpRequestFactoryBuilder<?>>,
                ClientHttpConnectorBuilderCustomizer<ClientHttpConnectorBuilder<?>> {

    @Override
    public ClientHttpRequestFactoryBuilder<?> customize(ClientHttpRequestFactoryBuilder<?> builder) {
        if (!clients.areThere()) {
            return builder;
        } else if (builder instanceof JdkClientHttpRequestFactoryBuilder jdk) {
            return jdk.withHttpClientCustomizer(new Jdk(clients)::observe);
        } else if (builder instanceof HttpComponentsClientHttpRequestFactoryBuilder apache) {
            return apache.withHttpClientCustomizer(new Apache(clients, time)::configure);
        } else if (builder instanceof ReactorClientHttpRequestFactoryBuilder reactor) {
            return reactor.withHttpClientCustomizer(new Reactor(clients)::configured);
        }
        return builder instanceof JettyClientHttpRequestFactoryBuilder jetty
                ? jetty.withHttpClientCustomizer(new Jetty(clients)::observe)
                : builder;
    }

    @Override
    public ClientHttpConnectorBuilder<?> customize(ClientHttpConnectorBuilder<?> builder) {
        if (!clients.areThere()) {
            return builder;
        } else if (builder instanceof JdkClientHttpConnectorBuilder jdk) {
            return jdk.withHttpClientCustomizer(new Jdk(clients)::observe);
        } else if (builder instanceof HttpComponentsClientHttpConnectorBuilder apache) {
            return apache.withHttpClientCustomizer(new Apache(clients, time)::configure);
        } else if (builder instanceof ReactorClientHttpConnectorBuilder reactor) {
            return reactor.withHttpClientCustomizer(new Reactor(clients)::configured);
        }
        return builder instanceof JettyClientHttpConnectorBuilder jetty
                ? jetty.withHttpClientCustomizer(new Jetty(clients)::observe)
                : builder;
    }

    /**
     * It repeats requests by itself, also a POST that was answered with 503; and it cannot be interrupted while it waits for an
     * answer, so it is cancelled when the time is over.
     */
    private record Apache(HttpClients clients, TimeSource time) implements ExecChainHandler {

        void configure(HttpClientBuilder client) {
            client.disableAutomaticRetries().addExecInterceptorBefore(ChainElement.PROTOCOL.name(), "resilience", this);
        }

        void configure(HttpAsyncClientBuilder client) {
            client.disableAutomaticRetries().addResponseInterceptorLast((answer, body, context) -> observe(answer));
        }

        /** What happens between two redirects. */
        @Override
        public ClassicHttpResponse execute(ClassicHttpRequest request, ExecChain.Scope scope, ExecChain chain)
                throws IOException, HttpException {
            Deadline deadline = Deadline.current();
            TimeSource.Scheduled end = deadline != null && scope.originalRequest instanceof Cancellable sent
                    ? time.scheduleUrgent(deadline.left(), sent::cancel)
                    : () -> {};
            ClassicHttpResponse answer = null;
            try {
                answer = chain.proceed(request, scope);
                observe(answer);
                return answer;
            } finally {
                if (answer == null || answer.getEntity() == null) { // which is read until then, too
                    end.cancel();
                }
            }
        }

        private void observe(HttpResponse answer) {
            if (answer.getCode() / 100 == 3 && answer.containsHeader(HttpHeaders.LOCATION)) {
                clients.redirected();
            }
        }
    }

    /**
     * Reactor's client repeats a request that was cut off, even one with an effect. It reports a redirect when it follows that
     * already, and the next request may have failed by then, so the channel is observed too.
     */
    private record Reactor(HttpClients clients) {

        HttpClient configured(HttpClient client) {
            return client.disableRetry(true)
                    .doOnRedirect((answer, connection) -> clients.redirected())
                    .doOnChannelInit((observer, channel, address) -> {
                        if (channel.pipeline().get(NettyPipeline.ReactiveBridge) != null) {
                            channel.pipeline().addBefore(NettyPipeline.ReactiveBridge, null, new Answers(clients));
                        }
                    });
        }

        private static final class Answers extends ChannelInboundHandlerAdapter {

            private final HttpClients clients;

            Answers(HttpClients clients) {
                this.clients = clients;
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof io.netty.handler.codec.http.HttpResponse answer
                        && answer.status().codeClass() == HttpStatusClass.REDIRECTION) {
                    clients.redirected();
                }
                context.fireChannelRead(message);
            }
        }
    }

    private record Jetty(HttpClients clients) {

        void observe(org.eclipse.jetty.client.HttpClient client) {
            client.getRequestListeners().addQueuedListener(request -> {
                if (request instanceof HttpRequest sent
                        && sent.getConversation().getExchanges().size() > 1) {
                    clients.redirected();
                }
            });
        }
    }

    /** Its cookies are all that it shows of an answer that redirects. */
    private record Jdk(HttpClients clients) {

        void observe(java.net.http.HttpClient.Builder client) {
            CookieHandler cookies =
                    client.build().cookieHandler().orElse(new CookieManager(null, CookiePolicy.ACCEPT_NONE));
            client.cookieHandler(new CookieHandler() {
                @Override
                public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) throws IOException {
                    return cookies.get(uri, headers);
                }

                @Override
                public void put(URI uri, Map<String, List<String>> headers) throws IOException {
                    if (headers.containsKey(HttpHeaders.LOCATION)) {
                        clients.redirected();
                    }
                    cookies.put(uri, headers);
                }
            });
        }
    }
}
