package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The code on the page is the code that runs. */
class SourcesOnThePageTests {

    private static final Path MAIN = Path.of("src/main");
    private static final String SERVICE = "java/dev/resilience/sample/shop/OrderService.java";

    @Test
    void theMethodOnThePageIsThatOfTheShop() throws IOException {
        String method = code("java").replaceAll("(?m)^ *// .*\n", "").replaceFirst("\n}\n$", "");

        assertThat(method).contains("@Retryable", "Order place(");
        assertThat(withoutIndent(SERVICE)).contains(method);
    }

    @Test
    void theSettingsOnThePageAreThoseOfTheShop() throws IOException {
        String settings = withoutComments(Files.readString(MAIN.resolve("resources/application.yml")));

        for (String kind : code("yaml").replaceFirst("# application.yml\n", "").split("\n(?=\\S)", -1)) {
            assertThat(settings).contains("\n" + kind.stripTrailing().indent(2));
        }
    }

    private static String code(String id) throws IOException {
        Matcher code = Pattern.compile("<code id=\"" + id + "\">(.*?)</code>", Pattern.DOTALL)
                .matcher(Files.readString(MAIN.resolve("resources/static/index.html")));
        assertThat(code.find()).isTrue();
        return code.group(1).replaceAll("<[^>]+>", "");
    }

    private static String withoutIndent(String path) throws IOException {
        return Files.readString(MAIN.resolve(path)).replaceAll("(?m)^ +", "");
    }

    private static String withoutComments(String yaml) {
        return yaml.replaceAll("(?m)^ *#.*\n", "");
    }
}
