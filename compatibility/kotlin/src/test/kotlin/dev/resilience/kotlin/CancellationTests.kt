package dev.resilience.kotlin

import dev.resilience.annotation.Bulkhead
import dev.resilience.annotation.CircuitBreaker
import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Idempotent
import dev.resilience.annotation.Retryable
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.stereotype.Service

/** Who cancels a coroutine cancels the call that it waits for, wherever that is; nothing takes that for a failure. */
class CancellationTests {

    private fun with(test: Application<Shop>.() -> Unit) = with<Shop>(Shop::class.java, test = test)

    /** A call that waits is cancelled. */
    private fun Application<Shop>.cancel(call: suspend Shop.() -> Unit) {
        val job = begin(call)
        assertThat(job.isActive).isTrue()
        runBlocking { job.cancelAndJoin() }
    }

    @Test
    fun inTheBody() = with {
        cancel { body() }
        assertThat(bean.ended).isEqualTo("cancelled")
        assertThat(bulkhead("single").running()).isZero()
        assertThat(breaker("sensitive").calls().byLabel()).containsEntry("ignored", 1L).containsEntry("failure", 0L)
    }

    @Test
    fun whileItWaitsForARetry() = with {
        callee.failNext(Int.MAX_VALUE)
        cancel { retried() }
        advance(10)
        assertThat(callee.calls()).isEqualTo(1)
        assertThat(bulkhead("single").running()).isZero()
    }

    @Test
    fun inTheQueueOfABulkhead() = with {
        val first = begin { queued() }
        val second = begin { queued() }
        assertThat(bulkhead("single").queued()).isEqualTo(1)
        second.cancel()
        assertThat(bulkhead("single").queued()).isZero()
        bean.gate.complete(Unit)
        runBlocking { first.join() }
        assertThat(bulkhead("single").running()).isZero()
    }

    @Test
    fun aTimeoutOfTheCallerCancelsTheCall() = with {
        runBlocking {
            assertThat(withTimeoutOrNull(20.milliseconds) { bean.body() }).isNull()
        }
        assertThat(bean.ended).isEqualTo("cancelled")
        assertThat(bulkhead("single").running()).isZero()
    }

    @ParameterizedTest
    @ValueSource(strings = ["thrown", "cancelled", "awaited"])
    fun aBodyThatIsCancelledHasNotFailed(how: String) = with {
        assertThatThrownBy { runBlocking { bean.cancelsItself(how) } }
            .isInstanceOf(CancellationException::class.java)
            .hasMessageContaining("of its own")
        assertThat(bean.attempts).isEqualTo(1)
        assertThat(breaker("sensitive").calls().byLabel()).containsEntry("ignored", 1L).containsEntry("failure", 0L)
        assertThat(bulkhead("single").running()).isZero()
    }

    @Test
    fun aTimeoutInTheBodyIsATransientFailure() = with {
        runBlocking { assertThat(bean.hurried()).isEqualTo("at attempt 2") }
    }

    @Test
    fun aCancelledBodyOfAnIdempotentFunctionReleasesItsKey() = with {
        assertThatThrownBy { runBlocking { bean.onceOrCancelled("k") } }.isInstanceOf(CancellationException::class.java)
        runBlocking { assertThat(bean.onceOrCancelled("k")).isEqualTo("at attempt 2") }
    }

    @Test
    fun anIdempotentFunctionThatHasBegunGoesOnWithoutItsCaller() = with {
        runBlocking {
            val job = launch(Dispatchers.Default) { bean.onceAfterTheGate("k") }
            bean.begun.join()
            job.cancelAndJoin()
            bean.gate.complete(Unit)
            bean.done.join()
            while (idempotencyOutcome("executed") == 0L) yield()
            assertThat(bean.onceAfterTheGate("k")).isEqualTo("once")
            assertThat(bean.attempts).isEqualTo(1)
        }
    }

    @Service
    class Shop(private val callee: Callee) {

        @Volatile var ended = ""
        @Volatile var attempts = 0
        val gate = CompletableDeferred<Unit>()
        val begun = Job()
        val done = Job()

        @Bulkhead("single")
        @CircuitBreaker("sensitive")
        @Retryable
        @Fallback("never")
        suspend fun body() {
            try {
                awaitCancellation()
            } finally {
                ended = "cancelled"
            }
        }

        fun never() {
            ended = "answered by the fallback"
        }

        @Bulkhead("single")
        @Retryable
        suspend fun retried() {
            callee.call()
        }

        @Bulkhead("single")
        suspend fun queued() = gate.await()

        @Bulkhead("single")
        @CircuitBreaker("sensitive", failureRateThreshold = 0.1)
        @Retryable("anything", retryOn = [Exception::class], delay = "0ms")
        @Fallback("instead")
        suspend fun cancelsItself(how: String): String {
            attempts++
            val cancellation = CancellationException("of its own")
            when (how) {
                "thrown" -> throw cancellation
                "cancelled" -> currentCoroutineContext().cancel(cancellation)
                "awaited" -> CompletableDeferred<String>().apply { cancel(cancellation) }.await()
            }
            awaitCancellation()
        }

        suspend fun instead(how: String, failure: Throwable) = "$how $failure"

        @Retryable("at-once")
        suspend fun hurried(): String {
            if (++attempts == 1) {
                withTimeout(1.milliseconds) { awaitCancellation() }
            }
            return "at attempt $attempts"
        }

        @Idempotent(key = "#key")
        @Retryable("anything", retryOn = [Exception::class], delay = "0ms")
        suspend fun onceOrCancelled(key: String): String {
            if (++attempts == 1) {
                throw CancellationException("of its own")
            }
            return "at attempt $attempts"
        }

        @Idempotent(key = "#key")
        suspend fun onceAfterTheGate(key: String): String {
            attempts++
            begun.complete()
            gate.await()
            done.complete()
            return "once"
        }
    }
}
