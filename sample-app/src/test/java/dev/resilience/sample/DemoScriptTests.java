package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

@Tag("long")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "shop.gateway.port=0")
@EnabledIf("bashAndCurlExist")
class DemoScriptTests {

    @LocalServerPort
    int port;

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void theDemoShowsWhatItSaysEachTimeItIsRun() throws Exception {
        for (int run = 1; run <= 2; run++) {
            ProcessBuilder demo = new ProcessBuilder("bash", "demo.sh").redirectErrorStream(true);
            demo.environment().put("SHOP_URL", "http://localhost:" + port);
            Process process = demo.start();

            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(process.waitFor()).as(output).isZero();
        }
    }

    static boolean bashAndCurlExist() throws InterruptedException {
        try {
            return new ProcessBuilder("bash", "-c", "command -v curl").start().waitFor() == 0;
        } catch (IOException noBash) {
            return false;
        }
    }
}
