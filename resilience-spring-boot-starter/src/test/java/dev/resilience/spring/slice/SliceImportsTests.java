package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.io.ClassPathResource;

/** Slices that are not on the class path here bring what a slice brings that is. */
class SliceImportsTests {

    @ParameterizedTest
    @CsvSource({
        "data.jdbc.test.autoconfigure.AutoConfigureDataJdbc, jdbc.test.autoconfigure.AutoConfigureJdbc",
        "jooq.test.autoconfigure.AutoConfigureJooq, jdbc.test.autoconfigure.AutoConfigureJdbc",
        "webclient.test.autoconfigure.AutoConfigureWebClient, restclient.test.autoconfigure.AutoConfigureRestClient"
    })
    void aSliceBringsWhatItsTestedRelativeBrings(String slice, String relative) throws IOException {
        assertThat(imports(slice)).isEqualTo(imports(relative));
    }

    private static String imports(String slice) throws IOException {
        return new ClassPathResource("META-INF/spring/org.springframework.boot." + slice + ".imports")
                .getContentAsString(StandardCharsets.UTF_8);
    }
}
