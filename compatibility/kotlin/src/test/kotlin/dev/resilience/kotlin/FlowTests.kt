package dev.resilience.kotlin

import dev.resilience.annotation.Bulkhead
import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Idempotent
import dev.resilience.annotation.Retryable
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.springframework.stereotype.Service

/** Suspending functions that return a Flow: each collection is a call. */
class FlowTests {

    private fun with(test: Application<Shop>.() -> Unit) = with<Shop>(Shop::class.java, test = test)

    @Test
    fun eachCollectionIsACall() = with {
        runBlocking {
            val prices = bean.prices()
            assertThat(callee.calls()).isZero()
            callee.failNext(1)
            assertThat(prices.toList()).containsExactly("answer 2", "2", "3")
            assertThat(prices.toList()).containsExactly("answer 3", "2", "3")
        }
    }

    @Test
    fun aCollectorThatHasEnoughGivesThePermitBack() = with {
        runBlocking { assertThat(bean.endless().map { it * 2 }.first { it > 4 }).isEqualTo(6) }
        assertThat(bulkhead("single").running()).isZero()
    }

    @Test
    fun aCancelledBodyIsNotTriedAgain() = with {
        assertThatThrownBy { runBlocking { bean.cancelled().toList() } }
            .isInstanceOf(CancellationException::class.java)
            .hasMessageContaining("of its own")
        assertThat(callee.calls()).isEqualTo(1)
    }

    @Test
    fun aFallbackAnswersWithAFlow() = with {
        callee.failNext(10)
        runBlocking {
            assertThat(bean.answered().toList()).containsExactly("later", "on")
            assertThat(bean.answeredBySuspending().toList()).containsExactly("later", "still")
        }
    }

    @Test
    fun aFlowIsNoIdempotentResult() {
        application(Streaming::class.java).run { context ->
            assertThat(context.startupFailure).hasMessageContaining("@Idempotent and returns Flow")
        }
    }

    @Service
    class Shop(private val callee: Callee) {

        @Retryable("at-once")
        suspend fun prices(): Flow<String> {
            delay(1)
            val first = callee.call()
            return flowOf(first, "2", "3")
        }

        @Bulkhead("single")
        suspend fun endless(): Flow<Int> = flow {
            var number = 0
            while (true) {
                emit(number++)
                delay(1)
            }
        }

        @Retryable("anything", retryOn = [Exception::class], delay = "0ms")
        suspend fun cancelled(): Flow<String> = flow {
            callee.call()
            throw CancellationException("of its own")
        }

        @Fallback("laterOn")
        suspend fun answered(): Flow<String> = flow { emit(callee.call()) }

        fun laterOn(): Flow<String> = flowOf("later", "on")

        @Fallback("laterStill")
        suspend fun answeredBySuspending(): Flow<String> = flow { emit(callee.call()) }

        suspend fun laterStill(): Flow<String> {
            delay(1)
            return flowOf("later", "still")
        }
    }

    @Service
    class Streaming {

        @Idempotent(key = "#key")
        suspend fun stream(key: String): Flow<String> = flowOf(key)
    }
}
