package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class StartupTests {

    @Test
    void theLastLineSaysWhereToLook(CapturedOutput output) {
        try (ConfigurableApplicationContext running = start(0)) {
            String port = running.getEnvironment().getRequiredProperty("local.server.port");

            assertThat(output.getOut().lines().reduce((line, next) -> next))
                    .hasValueSatisfying(
                            last -> assertThat(last).contains("The shop is open: http://localhost:" + port));
        }
    }

    @Test
    void aGatewayPortInUseIsToldKindly(CapturedOutput output) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();

            assertThatThrownBy(() -> start(port)).isInstanceOf(RuntimeException.class);

            assertThat(output.getAll())
                    .contains("cannot listen on port " + port + ": it is in use", "SHOP_GATEWAY_PORT=9081")
                    .doesNotContain("\tat ");
        }
    }

    private static ConfigurableApplicationContext start(int gatewayPort) {
        return SpringApplication.run(SampleApplication.class, "--server.port=0", "--shop.gateway.port=" + gatewayPort);
    }
}
