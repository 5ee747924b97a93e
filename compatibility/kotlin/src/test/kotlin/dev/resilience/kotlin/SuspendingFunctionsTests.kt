package dev.resilience.kotlin

import dev.resilience.annotation.Bulkhead
import dev.resilience.annotation.CircuitBreaker
import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Hedge
import dev.resilience.annotation.RateLimit
import dev.resilience.annotation.Retryable
import dev.resilience.annotation.TimeLimit
import dev.resilience.exception.CircuitOpenException
import dev.resilience.exception.RateLimitExceededException
import dev.resilience.exception.TimeLimitExceededException
import dev.resilience.spring.reactor.ReactiveCallContext
import java.net.ConnectException
import java.util.concurrent.Executors
import kotlin.coroutines.coroutineContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.slf4j.MDCContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.slf4j.MDC
import org.springframework.stereotype.Service
import reactor.util.context.Context

/** Every kind on suspending functions of a class. */
class SuspendingFunctionsTests {

    private fun with(vararg properties: String, test: Application<Shop>.() -> Unit) =
        with<Shop>(Shop::class.java, *properties, test = test)

    @Test
    fun aFunctionIsRetriedAfterItsWait() = with {
        callee.failNext(2)
        val answer = begin { retried("a") }
        assertThat(callee.calls()).isEqualTo(1)
        assertThat(endOf(answer)).isEqualTo("a: answer 3")
    }

    @Test
    fun theLastFailureIsThrown() = with {
        callee.failNext(3)
        assertThatThrownBy { runBlocking { bean.atOnce() } }.isInstanceOf(ConnectException::class.java)
        assertThat(callee.calls()).isEqualTo(3)
    }

    @Test
    fun aFunctionThatReturnsADeferredIsRetriedToo() = with {
        callee.failNext(2)
        assertThat(runBlocking { bean.deferred().await() }).isEqualTo("answer 3")
    }

    @Test
    fun nullAndUnitAreResults() = with {
        runBlocking {
            assertThat(bean.nothing()).isNull()
            assertThat(bean.unit()).isIn(Unit, null)
            assertThat(bean.number(20, 1)).isEqualTo(21)
        }
    }

    @Test
    fun anOpenBreakerRefuses() = with {
        callee.failNext(1)
        assertThatThrownBy { runBlocking { bean.broken() } }.isInstanceOf(ConnectException::class.java)
        assertThatThrownBy { runBlocking { bean.broken() } }.isInstanceOf(CircuitOpenException::class.java)
        assertThat(callee.calls()).isEqualTo(1)
    }

    @Test
    fun aTimeLimitCancelsTheBody() = with {
        val answer = begin { endless() }
        assertThatThrownBy { endOf(answer) }.isInstanceOf(TimeLimitExceededException::class.java)
        assertThat(bean.ended).isEqualTo("cancelled")
    }

    @Test
    fun fallbacksMaySuspendOrNot() = with {
        callee.failNext(Int.MAX_VALUE)
        runBlocking {
            assertThat(bean.answeredBySuspending("a")).isEqualTo("later: a, refused")
            assertThat(bean.answeredByPlain("a")).isEqualTo("plain: a")
            assertThat(bean.size("four")).isEqualTo(4)
            bean.unitLater()
            assertThat(bean.ended).isEqualTo("unit later")
        }
    }

    @Test
    fun eachAttemptRunsInTheCallersContext() = with {
        val threads = Executors.newSingleThreadExecutor { Thread(it, "callers") }
        threads.asCoroutineDispatcher().use { callers ->
            callee.failNext(2)
            MDC.put("order", "17")
            val elements = callers + MDCContext() + ReactorContext(Context.of("tenant", "t1"))
            MDC.clear()
            runBlocking(elements) { assertThat(bean.context()).isEqualTo("callers 17 t1") }
            assertThat(callee.calls()).isEqualTo(3)
        }
    }

    @Test
    fun theBodyFindsTheCallInReactorsContext() = with {
        callee.failNext(1)
        runBlocking { assertThat(bean.attempt()).isEqualTo(2) }
    }

    @Test
    fun aFunctionThatSuspendsInItsBodyAnswersOnItsDispatcher() = with {
        runBlocking { assertThat(bean.slow()).isEqualTo("slow") }
        assertThat(bulkhead("single").running()).isZero()
    }

    @Test
    fun defaultArgumentsAreThoseOfTheFunction() = with {
        runBlocking { assertThat(bean.greet("Ann")).isEqualTo("Hello, Ann") }
        runBlocking { assertThat(bean.greet("Ann", greeting = "Hi")).isEqualTo("Hi, Ann") }
    }

    @Test
    fun springReplacesNullByADefault() = with {
        runBlocking { assertThat(bean.note(null)).isEqualTo("none") }
    }

    @Test
    fun aFunctionWithAValueClassIsProtected() = with {
        callee.failNext(1)
        runBlocking { assertThat(bean.ofValueClass(ArticleId("a"))).isEqualTo("a: answer 2") }
    }

    @Test
    fun aResultMayAskForARetry() = with {
        runBlocking { assertThat(bean.untilDone()).isEqualTo("answer 2") }
    }

    @Test
    fun eachKeyHasItsBreakerAndItsRateLimit() = with {
        callee.failNext(1)
        runBlocking {
            assertThatThrownBy { runBlocking { bean.ofTenant("a") } }.isInstanceOf(ConnectException::class.java)
            assertThatThrownBy { runBlocking { bean.ofTenant("a") } }.isInstanceOf(CircuitOpenException::class.java)
            assertThat(bean.ofTenant("b")).isEqualTo("b: answer 2")
            assertThat(bean.limited("a")).isEqualTo("a: answer 3")
            assertThatThrownBy { runBlocking { bean.limited("a") } }.isInstanceOf(RateLimitExceededException::class.java)
            assertThat(bean.limited("b")).isEqualTo("b: answer 4")
        }
    }

    @Test
    fun aSlowFunctionHasASecondAttemptAndTheLoserIsCancelled() = with {
        repeat(200) { runBlocking { bean.hedged() } }
        advance(10)
        assertThat(runBlocking { bean.hedged() }).isEqualTo("answer 201")
        bean.hangs = true
        val answer = begin { hedged() }
        assertThat(callee.calls()).isEqualTo(202)
        assertThat(endOf(answer)).isEqualTo("answer 203")
        await().untilAsserted { assertThat(bean.ended).isEqualTo("cancelled") }
    }

    @JvmInline
    value class ArticleId(val value: String)

    @Service
    class Shop(private val callee: Callee) {

        @Volatile var ended = ""

        @Retryable
        suspend fun retried(article: String) = "$article: ${callee.call()}"

        @Retryable("at-once")
        suspend fun atOnce() = callee.call()

        @Retryable("at-once")
        fun deferred(): Deferred<String> = CoroutineScope(Dispatchers.Unconfined).async { callee.call() }

        @Retryable
        suspend fun nothing(): String? = null

        @Retryable
        suspend fun unit() {
            delay(1)
        }

        @Retryable
        suspend fun number(one: Int, other: Long): Int = one + other.toInt()

        @CircuitBreaker("sensitive")
        suspend fun broken() = callee.call()

        @TimeLimit
        suspend fun endless() {
            try {
                awaitCancellation()
            } finally {
                ended = "cancelled"
            }
        }

        @Fallback("later")
        suspend fun answeredBySuspending(article: String) = "$article ${callee.call()}"

        suspend fun later(article: String, failure: ConnectException): String {
            delay(1)
            return "later: $article, ${failure.message?.substringAfterLast(' ')}"
        }

        @Fallback("plain")
        suspend fun answeredByPlain(article: String) = "$article ${callee.call()}"

        private fun plain(article: String) = "plain: $article"

        @Fallback("length")
        suspend fun size(article: String): Int = (article + callee.call()).length

        fun length(article: String): Int = article.length

        @Fallback("unitLater")
        suspend fun unitLater() {
            callee.call()
        }

        suspend fun unitLater(failure: Throwable) {
            ended = "unit later"
        }

        @Retryable("at-once")
        suspend fun context(): String {
            callee.call()
            val reactor = coroutineContext[ReactorContext]!!.context
            return Thread.currentThread().name.substringBefore(' ') + " " + MDC.get("order") + " " + reactor.get<String>("tenant")
        }

        @Retryable("at-once")
        suspend fun attempt(): Int {
            callee.call()
            return ReactiveCallContext.of(coroutineContext[ReactorContext]!!.context).attempt()!!.number()
        }

        @Bulkhead("single")
        suspend fun slow(): String = coroutineScope {
            delay(1)
            async(Dispatchers.Default) { "slow" }.await()
        }

        @Retryable
        suspend fun greet(name: String, greeting: String = "Hello") = "$greeting, $name"

        @Retryable
        suspend fun note(text: String? = "none") = text

        @Retryable("at-once")
        suspend fun ofValueClass(article: ArticleId) = "${article.value}: ${callee.call()}"

        @Retryable("until-done")
        suspend fun untilDone() = callee.call()

        @CircuitBreaker("sensitive", key = "#tenant")
        suspend fun ofTenant(tenant: String) = "$tenant: ${callee.call()}"

        @RateLimit(permits = 1, period = "1h", key = "#tenant")
        suspend fun limited(tenant: String) = "$tenant: ${callee.call()}"

        @Volatile var hangs = false

        @Hedge("tail")
        suspend fun hedged(): String {
            val answer = callee.call()
            if (hangs) {
                hangs = false
                endless()
            }
            return answer
        }
    }
}
