package dev.resilience.kotlin

import dev.resilience.annotation.CircuitBreaker
import dev.resilience.annotation.Fallback
import dev.resilience.annotation.Idempotent
import dev.resilience.annotation.Retryable
import java.net.ConnectException
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.stereotype.Service

/** Suspending functions of interfaces, generic ones too, by both kinds of proxy, and of classes that are opened by hand. */
class InterfacesTests {

    @ParameterizedTest
    @ValueSource(booleans = [true, false])
    fun anInterfaceIsProtected(proxyTargetClass: Boolean) =
        with<Prices>(ShopPrices::class.java, "spring.aop.proxy-target-class=$proxyTargetClass") {
            callee.failNext(1)
            runBlocking {
                assertThat(bean.price("a")).isEqualTo("a: answer 2")
                callee.failNext(10)
                assertThat(bean.answered("a")).isEqualTo("later: a")
            }
        }

    @ParameterizedTest
    @ValueSource(booleans = [true, false])
    fun aGenericInterfaceSaysWhatIsStored(proxyTargetClass: Boolean) =
        with<Repository<Article>>(Articles::class.java, "spring.aop.proxy-target-class=$proxyTargetClass") {
            runBlocking {
                assertThat(bean.save(Article("a"))).isEqualTo(Article("a", 1))
                assertThat(bean.save(Article("a"))).isEqualTo(Article("a", 1))
            }
        }

    @Test
    fun anOpenClassIsProtected() = with<ByHand>(ByHand::class.java) {
        callee.failNext(1)
        runBlocking { assertThat(bean.call()).isEqualTo("answer 2") }
    }

    @ParameterizedTest
    @ValueSource(booleans = [true, false])
    fun anotherBeanAnswers(proxyTargetClass: Boolean) =
        with<Asking>(Beans::class.java, "spring.aop.proxy-target-class=$proxyTargetClass") {
            callee.failNext(2)
            runBlocking { assertThat(bean.ask("a")).isEqualTo("answering a: answer 3") }
        }

    interface Prices {

        @Retryable("at-once")
        suspend fun price(article: String): String

        @Fallback("later")
        suspend fun answered(article: String): String
    }

    @Service
    class ShopPrices(private val callee: Callee) : Prices {

        override suspend fun price(article: String) = "$article: ${callee.call()}"

        override suspend fun answered(article: String) = callee.call()

        private suspend fun later(article: String): String {
            delay(1)
            return "later: $article"
        }
    }

    data class Article(val id: String, val version: Int = 0)

    interface Repository<T : Any> {

        @Idempotent(key = "#p0.id")
        suspend fun save(entity: T): T
    }

    @Service
    class Articles : Repository<Article> {

        private var saved = 0

        override suspend fun save(entity: Article) = entity.copy(version = ++saved)
    }

    open class ByHand(private val callee: Callee) {

        @Retryable("at-once")
        @CircuitBreaker
        open suspend fun call() = callee.call()
    }

    interface Asking {

        suspend fun ask(question: String): String
    }

    interface Answering {

        suspend fun answer(question: String, failure: ConnectException): String
    }

    @Configuration(proxyBeanMethods = false)
    class Beans {

        @Bean
        fun asks(callee: Callee): Asking = Asks(callee)

        @Bean
        fun answers(callee: Callee): Answering = Answers(callee)
    }

    open class Asks(private val callee: Callee) : Asking {

        @Fallback("answers::answer")
        override suspend fun ask(question: String) = callee.call()
    }

    open class Answers(private val callee: Callee) : Answering {

        @Retryable("at-once")
        override suspend fun answer(question: String, failure: ConnectException) = "answering $question: ${callee.call()}"
    }
}
