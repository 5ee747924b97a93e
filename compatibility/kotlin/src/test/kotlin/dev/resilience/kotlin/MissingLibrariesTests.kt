package dev.resilience.kotlin

import java.io.File
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Method
import java.net.URLClassLoader
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource

/** Without what Spring needs for suspending functions nothing would be protected: so the startup fails. */
class MissingLibrariesTests {

    @ParameterizedTest
    @CsvSource(
        "kotlinx-coroutines-reactor, Add 'org.jetbrains.kotlinx:kotlinx-coroutines-reactor' to",
        "kotlin-reflect, Add 'org.jetbrains.kotlin:kotlin-reflect' to",
        "none, ''",
    )
    fun theFailureSaysWhatToAdd(missing: String, cure: String) {
        val present = System.getProperty("java.class.path").split(File.pathSeparator).map(::File).filter { !it.name.startsWith(missing) }
        URLClassLoader(present.map { it.toURI().toURL() }.toTypedArray(), ClassLoader.getPlatformClassLoader()).use { loader ->
            val service = loader.loadClass(Service::class.java.name)
            val check = loader.loadClass("dev.resilience.spring.aop.ReturnTypes")
                .getDeclaredMethod("isAsynchronous", Method::class.java, Class::class.java)
                .apply { isAccessible = true }
            val found = try {
                check.invoke(null, service.declaredMethods.single(), service).let { "" }
            } catch (failed: InvocationTargetException) {
                failed.targetException.toString() + failed.targetException.javaClass.getMethod("action").invoke(failed.targetException)
            }
            assertThat(found).contains(cure)
            assertThat(found.isEmpty()).isEqualTo(cure.isEmpty())
        }
    }

    class Service {

        suspend fun call() = ""
    }
}
