package dev.resilience.kotlin

import dev.resilience.annotation.Bulkhead
import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Idempotent
import dev.resilience.annotation.Retryable
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.asCoroutineContext
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.stereotype.Service
import reactor.util.context.Context

/** Functions that return a Flow, and may suspend: each collection is a call. */
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
    fun aFunctionThatDoesNotSuspendIsProtectedToo() = with {
        val prices = bean.plain()
        assertThat(callee.calls()).isZero()
        callee.failNext(1)
        runBlocking {
            assertThat(prices.toList()).containsExactly("answer 2 of 2", "2")
            assertThat(prices.toList()).containsExactly("answer 3 of 3", "2")
            assertThat(bean.plainAndEndless().first { it > 4 }).isEqualTo(5)
        }
        assertThat(bulkhead("single").running()).isZero()
    }

    @Test
    fun aCancelledBodyOfAPlainFunctionIsNotTriedAgain() = with {
        assertThatThrownBy { runBlocking { bean.plainAndCancelled().toList() } }
            .isInstanceOf(CancellationException::class.java)
            .hasMessageContaining("of its own")
        assertThat(callee.calls()).isEqualTo(1)
    }

    @Test
    fun aPlainFunctionsFallbackAnswersWithAFlow() = with {
        callee.failNext(10)
        runBlocking { assertThat(bean.plainAndAnswered().toList()).containsExactly("later", "on") }
    }

    @Test
    fun ofTheCollectorsContextTheBodyHasReactorsAlone() = with {
        runBlocking(CoroutineName("collector") + Context.of("place", "Reactor").asCoroutineContext()) {
            assertThat(bean.context().toList()).containsExactly("none", "Reactor")
            assertThat(bean.plainContext().toList()).containsExactly("none", "Reactor")
        }
    }

    @Test
    fun aFlowOfNullFails() = with {
        assertThatThrownBy { runBlocking { bean.ofNull().toList() } }.isInstanceOf(NullPointerException::class.java)
        assertThatThrownBy { runBlocking { bean.plainOfNull().toList() } }.isInstanceOf(NullPointerException::class.java)
    }

    @ParameterizedTest
    @ValueSource(classes = [Streaming::class, PlainStreaming::class])
    fun aFlowIsNoIdempotentResult(type: Class<*>) {
        application(type).run { context ->
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

        @Retryable("at-once")
        fun plain(): Flow<String> {
            val first = callee.calls()
            return flow {
                emit("${callee.call()} of ${first + 1}")
                emit("2")
            }
        }

        @Bulkhead("single")
        fun plainAndEndless(): Flow<Int> = flow {
            var number = 0
            while (true) {
                emit(number++)
                delay(1)
            }
        }

        @Retryable("anything", retryOn = [Exception::class], delay = "0ms")
        fun plainAndCancelled(): Flow<String> = flow {
            callee.call()
            throw CancellationException("of its own")
        }

        @Fallback("laterOn")
        fun plainAndAnswered(): Flow<String> = flow { emit(callee.call()) }

        @Bulkhead("single")
        suspend fun ofNull(): Flow<String?> = flowOf("1", null, "3")

        @Bulkhead("single")
        fun plainOfNull(): Flow<String?> = flowOf("1", null, "3")

        @Retryable("at-once")
        suspend fun context(): Flow<String> = whatTheBodyFinds()

        @Retryable("at-once")
        fun plainContext(): Flow<String> = whatTheBodyFinds()

        private fun whatTheBodyFinds(): Flow<String> = flow {
            emit(currentCoroutineContext()[CoroutineName]?.name ?: "none")
            emit(currentCoroutineContext()[ReactorContext]?.context?.get("place") ?: "none")
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

    @Service
    class PlainStreaming {

        @Idempotent(key = "#key")
        fun stream(key: String): Flow<String> = flowOf(key)
    }
}
