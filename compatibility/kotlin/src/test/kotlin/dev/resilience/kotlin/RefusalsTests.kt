package dev.resilience.kotlin

import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Idempotent
import dev.resilience.annotation.Retryable
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.springframework.context.annotation.Configuration
import org.springframework.scheduling.annotation.Async
import org.springframework.scheduling.annotation.EnableAsync
import org.springframework.stereotype.Service
import reactor.core.publisher.Mono

/** What cannot work fails the startup, and says why. */
class RefusalsTests {

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value =
            [
                "Future | suspending function and returns java.util.concurrent.CompletableFuture",
                "Publisher | suspending function and returns reactor.core.publisher.Mono",
                "Later | suspending function and returns kotlinx.coroutines.Deferred",
                "Launched | launched() returns kotlinx.coroutines.Job",
                "Completed | completed() returns kotlinx.coroutines.CompletableDeferred",
                "Blocking | is a suspending function, for which",
                "OtherType | later(String), which returns java.lang.Integer",
                "OnlyTheContinuation | it names no argument",
                "NoSuchArgument | arguments are: #key, #p0",
                "Anything | nothing says which class it is",
            ],
    )
    fun whatCannotWorkFailsTheStartup(function: String, why: String) {
        application(Class.forName(RefusalsTests::class.java.name + "$" + function)).run { context ->
            assertThat(context.startupFailure).hasMessageContaining(why)
        }
    }

    @Test
    fun noDeadLettersOfASuspendingFunction() {
        application(Letters::class.java).withPropertyValues("resilience.retry.kept.dead-letter=true").run { context ->
            assertThat(context.startupFailure)
                .hasMessageContaining("keeps dead letters, but it is a suspending function")
                .hasMessageNotContaining("Continuation")
        }
    }

    @Test
    fun noSuspendingFunctionIsWoven() {
        application(Letters::class.java).withPropertyValues("resilience.advice-mode=aspectj").run { context ->
            assertThat(context.startupFailure).hasMessageContaining("is a suspending function, which is protected by proxies alone")
        }
    }

    @Test
    fun noSuspendingFunctionIsAsync() {
        application(Handed::class.java, AsyncCalls::class.java).run { context ->
            assertThat(context.startupFailure).hasMessageContaining("is @Async and suspends, which Spring cannot hand over")
        }
    }

    @Service
    class Letters {

        @Retryable("kept")
        suspend fun send(key: String) = key
    }

    @Service
    class Handed {

        @Async
        @Retryable
        suspend fun send(key: String) = key
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    class AsyncCalls

    @Service
    class Future {

        @Retryable
        suspend fun future(): CompletableFuture<String> = CompletableFuture.completedFuture("")
    }

    @Service
    class Publisher {

        @Retryable
        suspend fun publisher(): Mono<String> = Mono.just("")
    }

    @Service
    class Later {

        @Retryable
        suspend fun later(): Deferred<String> = CompletableDeferred("")
    }

    @Service
    class Launched {

        @Retryable
        fun launched(): Job = CoroutineScope(Dispatchers.Unconfined).launch {}
    }

    @Service
    class Completed {

        @Retryable
        fun completed(): CompletableDeferred<String> = CompletableDeferred("")
    }

    @Service
    class Blocking {

        @Fallback("later")
        fun blocking(key: String) = key

        suspend fun later(key: String) = key
    }

    @Service
    class OtherType {

        @Fallback("later")
        suspend fun price(key: String) = key

        suspend fun later(key: String): Int = key.length
    }

    @Service
    class OnlyTheContinuation {

        @Idempotent(key = "'one'")
        suspend fun once() = "once"
    }

    @Service
    class NoSuchArgument {

        @Idempotent(key = "#p1")
        suspend fun once(key: String) = key
    }

    @Service
    class Anything {

        @Idempotent(key = "#key")
        suspend fun once(key: String): Any = key
    }
}
