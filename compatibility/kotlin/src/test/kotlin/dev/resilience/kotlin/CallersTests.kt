package dev.resilience.kotlin

import dev.resilience.annotation.Idempotent
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration
import dev.resilience.spring.autoconfigure.ResilienceContextAutoConfiguration
import kotlinx.coroutines.Dispatchers
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
import org.springframework.boot.test.context.runner.WebApplicationContextRunner
import org.springframework.security.authentication.AnonymousAuthenticationToken
import org.springframework.security.authentication.TestingAuthenticationToken
import org.springframework.security.core.authority.AuthorityUtils
import org.springframework.security.core.context.ReactiveSecurityContextHolder
import org.springframework.security.core.context.SecurityContextHolder
import org.springframework.stereotype.Service
import reactor.util.context.Context

/** In a servlet application no caller gets another's result when a coroutine has left the request's thread. */
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
                    ResilienceContextAutoConfiguration::class.java,
                ),
            )
            .withPropertyValues("resilience.idempotency-store.type=memory", *properties)
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

    private fun caller(name: String) =
        Context.of(ReactiveSecurityContextHolder.withAuthentication(authentication(name))).asCoroutineContext()

    @Service
    class Accounts(private val callee: Callee) {

        @Idempotent(key = "#key")
        suspend fun open(key: String) = callee.call()
    }
}
