package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.client.ExpectedCount.once;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withServiceUnavailable;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import dev.resilience.time.ManualTimeSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.restclient.test.autoconfigure.RestClientTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.web.client.MockRestServiceServer;

@RestClientTest(
        components = PriceClient.class,
        properties = {
            "resilience.retry.slice.max-attempts=3",
            "resilience.http-client.stock.hosts=stock",
            "resilience.http-client.stock.retry=slice"
        })
@Import(ManualTimeSource.class)
class RestClientSliceTests {

    @Autowired
    MockRestServiceServer server;

    @Autowired
    PriceClient client;

    @Test
    void clientsAreProtected() {
        server.expect(once(), requestTo("/price/tea")).andRespond(withServiceUnavailable());
        server.expect(once(), requestTo("/price/tea")).andRespond(withSuccess("3.20", MediaType.TEXT_PLAIN));

        assertThat(client.price("tea")).isEqualTo("3.20");
        server.verify();
    }

    @Test
    void requestsAreProtectedByTheirHosts() {
        server.expect(once(), requestTo("http://stock/tea")).andRespond(withServiceUnavailable());
        server.expect(once(), requestTo("http://stock/tea")).andRespond(withSuccess("7", MediaType.TEXT_PLAIN));

        assertThat(client.stock("tea")).isEqualTo("7");
        server.verify();
    }
}
