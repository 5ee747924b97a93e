package dev.resilience.spring.fault;

import io.netty.channel.ChannelOption;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.JettyClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/** The HTTP clients that a Spring application may use, each as a plain GET that returns the body. */
final class Clients {

    private Clients() {}

    /** @param readTimeout how long each of them waits for data */
    static Map<String, Get> patientFor(Duration readTimeout) {
        Map<String, Get> clients = new LinkedHashMap<>();
        factories(readTimeout).forEach((name, factory) -> clients.put("RestClient, " + name, restClient(factory)));
        SimpleClientHttpRequestFactory simple = new SimpleClientHttpRequestFactory();
        simple.setReadTimeout(readTimeout);
        RestTemplate template = new RestTemplate(simple);
        clients.put("RestTemplate", url -> template.getForObject(url, String.class));
        clients.put("WebClient, Reactor Netty", webClient(reactorNetty(readTimeout)));
        JdkClientHttpConnector jdk = new JdkClientHttpConnector();
        jdk.setReadTimeout(readTimeout);
        clients.put("WebClient, JDK", webClient(jdk));
        clients.put("HttpClient", jdk(readTimeout));
        return clients;
    }

    private static Map<String, ClientHttpRequestFactory> factories(Duration readTimeout) {
        JdkClientHttpRequestFactory jdk = new JdkClientHttpRequestFactory();
        jdk.setReadTimeout(readTimeout);
        SimpleClientHttpRequestFactory simple = new SimpleClientHttpRequestFactory();
        simple.setReadTimeout(readTimeout);
        HttpComponentsClientHttpRequestFactory apache = new HttpComponentsClientHttpRequestFactory(
                HttpClients.custom().disableAutomaticRetries().build());
        apache.setReadTimeout(readTimeout);
        JettyClientHttpRequestFactory jetty = new JettyClientHttpRequestFactory();
        jetty.setReadTimeout(readTimeout);
        ReactorClientHttpRequestFactory netty =
                new ReactorClientHttpRequestFactory(reactor.netty.http.client.HttpClient.newConnection());
        netty.setReadTimeout(readTimeout);
        Map<String, ClientHttpRequestFactory> factories = new LinkedHashMap<>();
        factories.put("JDK", jdk);
        factories.put("HttpURLConnection", simple);
        factories.put("Apache", apache);
        factories.put("Jetty", jetty);
        factories.put("Reactor Netty", netty);
        return factories;
    }

    private static ClientHttpConnector reactorNetty(Duration readTimeout) {
        return new ReactorClientHttpConnector(reactor.netty.http.client.HttpClient.newConnection()
                .responseTimeout(readTimeout)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 30_000));
    }

    private static Get restClient(ClientHttpRequestFactory factory) {
        RestClient client = RestClient.builder().requestFactory(factory).build();
        return url -> client.get().uri(url).retrieve().body(String.class);
    }

    private static Get webClient(ClientHttpConnector connector) {
        WebClient client = WebClient.builder().clientConnector(connector).build();
        return url -> client.get().uri(url).retrieve().bodyToMono(String.class).block();
    }

    private static Get jdk(Duration readTimeout) {
        HttpClient client = HttpClient.newHttpClient();
        return url -> client.send(
                        HttpRequest.newBuilder(URI.create(url))
                                .timeout(readTimeout)
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }

    /** Gets what is at an address. */
    @FunctionalInterface
    interface Get {

        String from(String url) throws Exception;
    }
}
