package dev.resilience.kotlin

import dev.resilience.spring.ResilienceRegistry
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration
import dev.resilience.time.ManualTimeSource
import java.net.ConnectException
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext

/** What a protected function depends on: counts its calls, and is down for as many of them as it is told to be. */
class Callee {

    private val calls = AtomicInteger()
    private val failures = AtomicInteger()

    fun call(): String {
        val call = calls.incrementAndGet()
        if (failures.getAndDecrement() > 0) {
            throw ConnectException("call $call refused")
        }
        return "answer $call"
    }

    fun failNext(times: Int) = apply { failures.set(times) }

    fun calls() = calls.get()
}

/** A bean under test and what a test needs beside it. */
class Application<B>(val bean: B, private val context: ApplicationContext) {

    val callee: Callee = context.getBean(Callee::class.java)
    private val registry: ResilienceRegistry = context.getBean(ResilienceRegistry::class.java)

    /** Begins a call, which runs on this thread until it first waits. */
    fun <T> begin(call: suspend B.() -> T): Deferred<T> = CoroutineScope(Dispatchers.Unconfined).async { bean.call() }

    /** The end of a call that waits. Later attempts begin on other threads: time moves on until they have ended. */
    fun <T> endOf(answer: Deferred<T>): T {
        while (!answer.isCompleted && !Thread.currentThread().isInterrupted) {
            advance(1)
            Thread.onSpinWait()
        }
        return runBlocking { answer.await() }
    }

    fun advance(seconds: Long) = context.getBean(ManualTimeSource::class.java).advance(Duration.ofSeconds(seconds))

    fun bulkhead(name: String) = registry.bulkheads().getValue(name)

    fun retry(name: String) = registry.retries().getValue(name)

    fun idempotencyOutcome(label: String) = registry.idempotency("default").calls().byLabel().getValue(label)

    fun breaker(name: String) = registry.circuitBreakers().getValue(name)
}

/** An application with manual time, whose backoff is 1 s, 2 s, 4 s. */
fun application(vararg components: Class<*>): ApplicationContextRunner =
    ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration::class.java,
                JacksonAutoConfiguration::class.java,
                ResilienceAutoConfiguration::class.java,
            ),
        )
        .withPropertyValues(
            "resilience.retry.default.backoff.jitter=none",
            "resilience.retry.at-once.backoff.base-delay=0",
            "resilience.retry.until-done.retry-on-result=#result.startsWith('answer 1')",
            "resilience.retry.until-done.backoff.base-delay=0",
            "resilience.circuit-breaker.sensitive.failure-threshold=1",
            "resilience.bulkhead.single.max-concurrent=1",
            "resilience.hedge.tail.side-effect-free=true",
            "resilience.idempotency-store.type=memory",
        )
        .withBean(ManualTimeSource::class.java)
        .withBean(Callee::class.java)
        .withUserConfiguration(*components)

/** Runs a test with a bean, found by the type that users inject. */
inline fun <reified B : Any> with(component: Class<*>, vararg properties: String, crossinline test: Application<B>.() -> Unit) {
    application(component).withPropertyValues(*properties).run { context ->
        assertThat(context).hasNotFailed()
        Application(context.getBean(B::class.java), context).test()
    }
}
