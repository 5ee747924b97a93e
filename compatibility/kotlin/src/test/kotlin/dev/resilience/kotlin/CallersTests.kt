package dev.resilience.kotlin

import dev.resilience.annotation.Idempotent
import dev.resilience.context.CallContext
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration
import dev.resilience.spring.reactor.ReactiveCallContext
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.async
import kotlinx.coroutines.reactor.asCoroutineContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner
import org.springframework.boot.test.context.runner.WebApplicationContextRunner
import org.springframework.mock.http.server.reactive.MockServerHttpRequest
import org.springframework.mock.web.server.MockServerWebExchange
import org.springframework.security.authentication.AnonymousAuthenticationToken
import org.springframework.security.authentication.TestingAuthenticationToken
import org.springframework.security.core.authority.AuthorityUtils
import org.springframework.security.core.context.ReactiveSecurityContextHolder
import org.springframework.security.core.context.SecurityContext
import org.springframework.security.core.context.SecurityContextHolder
import org.springframework.stereotype.Service
import reactor.core.publisher.Mono
import reactor.util.context.Context

/** No caller gets another's result when a coroutine has left the request, or its thread. */
class CallersTests {

    @AfterEach
    fun logOut() = SecurityContextHolder.clearContext()

    private fun logIn(name: String) {
        SecurityContextHolder.getContext().authentication = authentication(name)
    }

    private fun authentication(name: String) = TestingAuthenticationToken(name, "secret", "ROLE_USER")

    private fun with(vararg properties: String, test: suspend Accounts.() -> Unit) {
        WebApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    AopAutoConfiguration::class.java,
                    JacksonAutoConfiguration::class.java,
                    ResilienceAutoConfiguration::class.java,
                ),
            )
            .withPropertyValues("resilience.idempotency-store.type=memory", *properties)
            .withBean("springSecurityFilterChain", Any::class.java, { Any() })
            .withBean(Callee::class.java)
            .withBean(Accounts::class.java)
            .run { context ->
                assertThat(context).hasNotFailed()
                runBlocking { context.getBean(Accounts::class.java).test() }
            }
    }

    @Test
    fun onTheRequestsThreadEachCallerHasKeysOfItsOwn() = with {
        logIn("alice")
        assertThat(open("k")).isEqualTo("answer 1")
        logIn("bob")
        assertThat(open("k")).isEqualTo("answer 2")
        SecurityContextHolder.getContext().authentication =
            AnonymousAuthenticationToken("key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"))
        assertThat(open("k")).isEqualTo("answer 3")
        logIn("alice")
        assertThat(open("k")).isEqualTo("answer 1")
    }

    @Test
    fun onAThreadWithoutACallerTheCallIsNotMade() = with("resilience.idempotency.default.on-store-failure=fail-open") {
        logIn("alice")
        assertThatThrownBy { runBlocking { withContext(Dispatchers.Default) { open("k") } } }
            .isInstanceOf(IllegalStateException::class.java)
            .hasMessageContaining("Accounts.open")
            .hasMessageContaining("not even an anonymous one")
        assertThat(open("k")).isEqualTo("answer 1")
    }

    @Test
    fun aCallerInTheCoroutinesReactorContextIsKnownOnEveryThread() = with {
        withContext(Dispatchers.Default + caller("alice")) { assertThat(open("k")).isEqualTo("answer 1") }
        withContext(Dispatchers.Default + caller("bob")) { assertThat(open("k")).isEqualTo("answer 2") }
        logIn("alice")
        assertThat(open("k")).isEqualTo("answer 1")
    }

    @Test
    fun withoutAScopeNoCallerIsNeeded() = with("resilience.idempotency.default.scope=none") {
        withContext(Dispatchers.Default) { assertThat(open("k")).isEqualTo("answer 1") }
    }

    private fun webFlux() =
        ReactiveWebApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    AopAutoConfiguration::class.java,
                    JacksonAutoConfiguration::class.java,
                    ResilienceAutoConfiguration::class.java,
                ),
            )
            .withPropertyValues("resilience.idempotency-store.type=memory")
            .withBean("springSecurityFilterChain", Any::class.java, { Any() })
            .withBean(Callee::class.java)
            .withBean(Accounts::class.java)

    @Test
    fun inWebFluxACoroutineThatHasLeftItsRequestIsNotOneOfTheUnauthenticated() {
        webFlux()
            .run { context ->
                val accounts = context.getBean(Accounts::class.java)
                @OptIn(DelicateCoroutinesApi::class)
                val leftItsRequest = GlobalScope.async { accounts.open("k") }
                assertThatThrownBy { runBlocking { leftItsRequest.await() } }
                    .isInstanceOf(IllegalStateException::class.java)
                    .hasMessageContaining("not even an anonymous one")
                assertThat(runBlocking { withContext(unauthenticatedRequest()) { accounts.open("k") } }).isEqualTo("answer 1")
                assertThat(runBlocking { withContext(caller("alice")) { accounts.open("k") } }).isEqualTo("answer 2")
            }
    }

    @Test
    fun inWebFluxAKeyInAHeaderIsThatOfTheCoroutinesRequest() {
        webFlux().withBean(Closing::class.java).run { context ->
            val accounts = context.getBean(Closing::class.java)
            assertThat(runBlocking { withContext(request("k")) { accounts.close() } }).isEqualTo("answer 1")
            assertThat(runBlocking { withContext(Dispatchers.Default + request("k")) { accounts.close() } }).isEqualTo("answer 1")
            assertThat(runBlocking { withContext(request("other")) { accounts.close() } }).isEqualTo("answer 2")
        }
    }

    private fun request(key: String) =
        ReactiveCallContext.`in`(
            Context.of(ReactiveSecurityContextHolder.withAuthentication(authentication("alice"))),
            CallContext.NONE,
            MockServerWebExchange.from(MockServerHttpRequest.post("/close").header("Idempotency-Key", key)),
        ).asCoroutineContext()

    /** As Spring Security's filter makes it. */
    private fun unauthenticatedRequest() =
        Context.of(SecurityContext::class.java, Mono.empty<SecurityContext>()).asCoroutineContext()

    private fun caller(name: String) =
        Context.of(ReactiveSecurityContextHolder.withAuthentication(authentication(name))).asCoroutineContext()

    @Service
    class Accounts(private val callee: Callee) {

        @Idempotent(key = "#key")
        suspend fun open(key: String) = callee.call()
    }

    @Service
    class Closing(private val callee: Callee) {

        @Idempotent(header = "Idempotency-Key")
        suspend fun close() = callee.call()
    }
}
