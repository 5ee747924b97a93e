package dev.resilience.spring.fault;

import com.azure.core.http.HttpHeaders;
import com.azure.core.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An answer of a service of Azure that asks to come back in 17 seconds. */
final class AzureAnswer extends HttpResponse {

    private final int status;

    AzureAnswer(int status) {
        super(null);
        this.status = status;
    }

    @Override
    public int getStatusCode() {
        return status;
    }

    @Override
    @Deprecated
    public String getHeaderValue(String name) {
        return name.equals("Retry-After") ? "17" : null;
    }

    @Override
    public HttpHeaders getHeaders() {
        return new HttpHeaders();
    }

    @Override
    public Flux<ByteBuffer> getBody() {
        return Flux.empty();
    }

    @Override
    public Mono<byte[]> getBodyAsByteArray() {
        return Mono.empty();
    }

    @Override
    public Mono<String> getBodyAsString() {
        return Mono.empty();
    }

    @Override
    public Mono<String> getBodyAsString(Charset charset) {
        return Mono.empty();
    }
}
