package dev.resilience.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.spring.ResilienceConfigurationException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class SpringBoot35Tests {

    @Test
    void thisIsSpringBoot35() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "servlet"})
    void theApplicationIsToldWhichVersionItNeeds(String type, CapturedOutput output) {
        assertThatThrownBy(() -> SpringApplication.run(
                        Shop.class, "--spring.main.web-application-type=" + type, "--server.port=0"))
                .isInstanceOf(ResilienceConfigurationException.class);

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "does not run on Spring Boot " + SpringBootVersion.getVersion(),
                        "it needs Spring Boot 4.0 or later",
                        "Update the application to Spring Boot 4.0 or later")
                .doesNotContain("NoClassDefFoundError");
    }

    @Test
    void theAnalysisIsTheOneInTheDocs(CapturedOutput output) throws IOException {
        String page = Files.readString(Path.of("../../docs/compatibility.md"));
        String start = "```text\n";
        int from = page.indexOf(start) + start.length();

        assertThatThrownBy(() -> SpringApplication.run(Shop.class, "--server.port=0"))
                .isInstanceOf(ResilienceConfigurationException.class);

        assertThat(output).contains(page.substring(from, page.indexOf("```", from)));
    }

    @Test
    void theApplicationStartsUnprotectedWhereTheLibraryIsSwitchedOff() {
        try (ConfigurableApplicationContext context =
                SpringApplication.run(Shop.class, "--server.port=0", "--resilience.enabled=false")) {
            assertThatThrownBy(() -> context.getBean(Shop.Gateway.class).charge())
                    .isInstanceOf(ConnectException.class);
            assertThat(context.getBean(Shop.Gateway.class).calls).isEqualTo(1);
        }
    }
}
