package dev.resilience.spring.idempotency.http;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.AbstractServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A response of which nothing is sent. Knows of the real one only a content type that is set already. */
final class BufferedReactiveResponse extends AbstractServerHttpResponse {

    private volatile byte[] body = {};

    BufferedReactiveResponse(int status, @Nullable MediaType type) {
        super(DefaultDataBufferFactory.sharedInstance);
        setStatusCode(HttpStatusCode.valueOf(status));
        getHeaders().setContentType(type);
    }

    SentAnswer answer() {
        return new SentAnswer(Objects.requireNonNull(getStatusCode()).value(), getHeaders(), body);
    }

    @Override
    protected Mono<Void> writeWithInternal(Publisher<? extends DataBuffer> written) {
        return DataBufferUtils.join(written)
                .doOnNext(buffer -> {
                    byte[] bytes = new byte[buffer.readableByteCount()];
                    buffer.read(bytes);
                    DataBufferUtils.release(buffer);
                    body = bytes;
                })
                .then();
    }

    @Override
    protected Mono<Void> writeAndFlushWithInternal(Publisher<? extends Publisher<? extends DataBuffer>> written) {
        return writeWithInternal(Flux.from(written).concatMap(part -> part));
    }

    @Override
    protected void applyStatusCode() {}

    @Override
    protected void applyHeaders() {}

    @Override
    protected void applyCookies() {}

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // Spring's
    public <T> T getNativeResponse() {
        throw new UnsupportedOperationException("The answer is kept before it is sent");
    }
}
