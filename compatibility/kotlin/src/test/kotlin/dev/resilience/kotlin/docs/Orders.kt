// The snippet of docs/kotlin.md, see SnippetsTests.
package dev.resilience.kotlin.docs

import dev.resilience.annotation.CircuitBreaker
import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Idempotent
import dev.resilience.annotation.Retryable
import org.springframework.stereotype.Service
import org.springframework.web.reactive.function.client.WebClient
import org.springframework.web.reactive.function.client.awaitBody

data class Order(val id: String, val article: String, val count: Int = 1)

data class Receipt(val order: String, val total: Long)

@Service
class Orders(private val client: WebClient) {

    @Retryable("default")
    @CircuitBreaker("default")
    @Fallback("lastKnown")
    suspend fun price(article: String): Long = client.get().uri("/prices/{article}", article).retrieve().awaitBody()

    suspend fun lastKnown(article: String, failure: Exception): Long = 0

    @Idempotent(key = "#order.id")
    suspend fun place(order: Order): Receipt = Receipt(order.id, price(order.article) * order.count)
}
