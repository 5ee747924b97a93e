package dev.resilience.kotlin

import dev.resilience.kotlin.docs.Orders
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.readText
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.web.reactive.function.client.WebClient

/** The snippets of docs/kotlin.md are sources of this module, and work. */
class SnippetsTests {

    @Test
    fun everySnippetIsCompiled() {
        val sources = Files.list(Path.of("src/test/kotlin/dev/resilience/kotlin/docs")).use { files ->
            files.map { it.readText().substringAfter("\n\n") }.toList()
        }
        val page = Path.of("../../docs/kotlin.md").readText()
        val snippets = Regex("^```kotlin\n(.*?)^```$", setOf(RegexOption.MULTILINE, RegexOption.DOT_MATCHES_ALL))
            .findAll(page)
            .map { it.groupValues[1] }
            .toList()
        assertThat(snippets).isNotEmpty().containsExactlyInAnyOrderElementsOf(sources)
    }

    @Test
    fun theOrdersOfThePageStart() {
        application(Orders::class.java).withBean(WebClient::class.java, { WebClient.create() }).run { context ->
            assertThat(context).hasNotFailed()
        }
    }
}
