package dev.resilience.kotlin

import com.fasterxml.jackson.annotation.JsonProperty
import dev.resilience.annotation.Idempotent
import dev.resilience.exception.IdempotencyKeyReusedException
import java.math.BigDecimal
import java.time.Instant
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.springframework.stereotype.Service

/** Keys and fingerprints of data classes, and data classes as results, which come back equal. */
class IdempotentFunctionsTests {

    private fun with(test: Application<Orders>.() -> Unit) = with<Orders>(Orders::class.java, test = test)

    @Test
    fun aDataClassIsStoredAndReplayed() = with {
        val order = Order("o1", listOf(Item("a", 2), Item("b", 1)))
        runBlocking {
            val first = bean.place(order)
            assertThat(first).isEqualTo(Receipt("o1", Status.PAID, BigDecimal("3.00"), order.items, null))
            assertThat(bean.place(order.copy())).isEqualTo(first)
            assertThat(callee.calls()).isEqualTo(1)
        }
    }

    @Test
    fun anotherPayloadUnderTheSameKeyIsRefused() = with {
        runBlocking { bean.place(Order("o1", listOf(Item("a", 2)))) }
        assertThatThrownBy { runBlocking { bean.place(Order("o1", listOf(Item("a", 3)))) } }
            .isInstanceOf(IdempotencyKeyReusedException::class.java)
        assertThatThrownBy { runBlocking { bean.place(Order("o1", listOf(Item("a", 2)), note = "!")) } }
            .isInstanceOf(IdempotencyKeyReusedException::class.java)
    }

    @Test
    fun aDefaultArgumentIsTheSameCallAsItsValue() = with {
        runBlocking {
            val first = bean.withDefaults("k")
            assertThat(bean.withDefaults("k", "none")).isEqualTo(first)
            assertThat(bean.withDefaults(note = "none", key = "k")).isEqualTo(first)
            assertThatThrownBy { runBlocking { bean.withDefaults("k", "other") } }
                .isInstanceOf(IdempotencyKeyReusedException::class.java)
        }
    }

    @Test
    fun resultsOfEveryShape() = with {
        runBlocking {
            repeat(2) {
                bean.unit("k")
                assertThat(bean.nothing("k")).isNull()
                assertThat(bean.number("k")).isEqualTo(1)
                assertThat(bean.list("k")).isEqualTo(listOf(Item("a", 1), Item("b", 1)))
                assertThat(bean.shape("k")).isEqualTo(Priced(Instant.EPOCH))
            }
            assertThat(callee.calls()).isEqualTo(5)
        }
    }

    @Test
    fun aPlainFunctionLikewise() = with {
        val order = Order("o1", emptyList())
        assertThat(bean.placeBlocking(order)).isEqualTo(bean.placeBlocking(order))
        assertThat(callee.calls()).isEqualTo(1)
    }

    enum class Status { PAID }

    data class Item(val article: String, val count: Int = 1)

    data class Order(val id: String, val items: List<Item>, val note: String? = null)

    data class Receipt(
        val order: String,
        val status: Status,
        @get:JsonProperty("total_price") val total: BigDecimal,
        val items: List<Item>,
        val remark: String? = "none",
    )

    data class Priced(val at: Instant)

    @Service
    class Orders(private val callee: Callee) {

        @Idempotent(key = "#order.id")
        suspend fun place(order: Order): Receipt {
            callee.call()
            return Receipt(order.id, Status.PAID, BigDecimal("3.00"), order.items, null)
        }

        @Idempotent(key = "#order.id")
        fun placeBlocking(order: Order) = Receipt(order.id, Status.PAID, BigDecimal("3.00"), order.items, callee.call())

        @Idempotent(key = "#key")
        suspend fun withDefaults(key: String, note: String = "none") = "$key $note ${callee.call()}"

        @Idempotent(key = "#p0")
        suspend fun unit(key: String) {
            callee.call()
        }

        @Idempotent(key = "#key")
        suspend fun nothing(key: String): Item? {
            callee.call()
            return null
        }

        @Idempotent(key = "#key")
        suspend fun number(key: String): Int {
            callee.call()
            return 1
        }

        @Idempotent(key = "#key")
        suspend fun list(key: String): List<Item> {
            callee.call()
            return listOf(Item("a"), Item("b"))
        }

        @Idempotent(key = "#key")
        suspend fun shape(key: String): Priced {
            callee.call()
            return Priced(Instant.EPOCH)
        }
    }
}
