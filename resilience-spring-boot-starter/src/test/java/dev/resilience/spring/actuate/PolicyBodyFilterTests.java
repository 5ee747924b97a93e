package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.reactive.HandlerMapping;
import reactor.core.publisher.Flux;

class PolicyBodyFilterTests {

    @Test
    void aBufferOfABodyThatIsTooLongIsReleasedOnce() {
        ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT
                .buffer()
                .writeZero(ResilienceWebEndpointExtension.MAX_BODY + 1)
                .retain(); // as a server does that still has it
        MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post("/")
                .body(Flux.just(new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT).wrap(buffer))));
        exchange.getAttributes()
                .put(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE, "Actuator web endpoint 'resilience-kind-name'");

        assertThatExceptionOfType(DataBufferLimitException.class)
                .isThrownBy(() -> new PolicyBodyFilter()
                        .filter(
                                exchange,
                                filtered -> DataBufferUtils.join(
                                                filtered.getRequest().getBody()) // as a decoder does
                                        .then())
                        .block());
        assertThat(buffer.refCnt()).isOne();
    }
}
