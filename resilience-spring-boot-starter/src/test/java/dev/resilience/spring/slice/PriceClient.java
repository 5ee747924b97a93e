package dev.resilience.spring.slice;

import dev.resilience.annotation.Retryable;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

@Component
class PriceClient {

    private final RestClient client;

    PriceClient(RestClient.Builder builder) {
        this.client = builder.build();
    }

    @Retryable("slice")
    @Nullable
    String price(String article) {
        return client.get().uri("/price/{article}", article).retrieve().body(String.class);
    }

    @Nullable
    String stock(String article) {
        return client.get().uri("http://stock/{article}", article).retrieve().body(String.class);
    }
}
