package dev.resilience.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.resilience.time.TimeSource;
import java.io.File;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;

class ArchitectureTests {

    private static final String ROOT = "dev.resilience.spring";

    /** The packages in layers, lowest first, each with those inside it: one knows its own layer and what is below. */
    private static final List<List<String>> LAYERS = List.of(
            List.of(ROOT, "context", "fault", "reactor", "weaving"),
            List.of("kind"),
            List.of(
                    "bulkhead",
                    "circuitbreaker",
                    "deadletter",
                    "fallback",
                    "hedge",
                    "idempotency",
                    "ratelimit",
                    "retry",
                    "timelimit"),
            List.of("aop", "properties", "registry"),
            List.of("actuate", "client", "cloud", "messaging", "metrics", "observation", "web"),
            List.of("autoconfigure"));

    private static final JavaClasses STARTER = new ClassFileImporter()
            .importUrl(ResilienceRegistry.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    @ParameterizedTest
    @MethodSource("packages")
    void aPackageKnowsNothingAboveItsLayer(String name) {
        noClasses()
                .that()
                .resideInAPackage(name)
                .should(dependOnClassesThat(DescribedPredicate.describe(
                        "are higher than layer " + layer(name),
                        type -> type.getPackageName().startsWith(ROOT) && layer(type.getPackageName()) > layer(name))))
                .check(STARTER);
    }

    @Test
    void noPackagesKnowEachOtherInACircle() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(STARTER);
    }

    private static int layer(String name) {
        String inside =
                name.equals(ROOT) ? ROOT : name.substring(ROOT.length() + 1).replaceFirst("\\..*", "");
        for (int layer = 0; layer < LAYERS.size(); layer++) {
            if (LAYERS.get(layer).contains(inside)) {
                return layer;
            }
        }
        throw new AssertionError("new packages get a layer: " + name);
    }

    @ParameterizedTest
    @MethodSource("packages")
    void everyPackageIsNullMarked(String name) {
        JavaPackage found = STARTER.getPackage(name);
        assertThat(found.isAnnotatedWith(NullMarked.class)).isTrue();
    }

    /** With its package-info; one with more has two subjects. */
    @ParameterizedTest
    @MethodSource("packages")
    void aPackageHasThirtyFilesAtMost(String name) {
        assertThat(Path.of("src/main/java", name.split("\\.")).toFile().listFiles(File::isFile))
                .hasSizeBetween(2, 30);
    }

    @Test
    void aClassIsPublicOnlyWhereAnotherPackageNeedsIt() {
        classes()
                .that()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .areNotAnnotatedWith(AutoConfiguration.class)
                .and()
                .areNotAnnotatedWith(ConfigurationProperties.class)
                .and(not(simpleName("CallContextAccessor"))) // found by ServiceLoader
                .and(not(simpleName("ResilienceBlockHoundIntegration"))) // likewise
                .and(not(simpleName("ResilienceOperator"))) // for applications
                .and(not(simpleName("ReactiveCallContext"))) // likewise
                .and(not(simpleName("CircuitBreakerPolicyConfig"))) // likewise
                .and(not(simpleName("ListenerRetryExhaustedException"))) // likewise
                .and(not(simpleName("HttpClient"))) // likewise
                .and(not(simpleName("ProtectedCallContext"))) // likewise
                .and(not(simpleName("HttpClientPolicy"))) // likewise
                .should(beUsedByAnotherPackage())
                .check(STARTER);
    }

    @Test
    void classesAreFinalUnlessBootMakesProxiesOfThem() {
        classes()
                .that()
                .areNotInterfaces()
                .and()
                .areTopLevelClasses()
                .and(DescribedPredicate.describe(
                        "are not abstract", type -> !type.getModifiers().contains(JavaModifier.ABSTRACT)))
                .and(not(simpleName("ResilienceEndpoint")))
                .and(not(simpleName("ResilienceWebEndpointExtension")))
                .and(not(simpleName("package-info")))
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(STARTER);
    }

    /** An optional library is known to the integration with it, and to what switches that on. */
    @ParameterizedTest
    @MethodSource("optionalLibraries")
    void anOptionalLibraryIsKnownToItsIntegrationAlone(String library, List<String> integrations) {
        noClasses()
                .that(DescribedPredicate.describe(
                        "are outside " + integrations, type -> !integrations.contains(integration(type))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(STARTER);
    }

    private static String integration(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? ROOT : name.substring(ROOT.length() + 1);
    }

    @Test
    void timeComesFromTheTimeSourceAlone() {
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .check(STARTER);
    }

    /** The clocks of applications that share a store differ; the store's own clock decides. */
    @Test
    void sharedStoresAskNoClockOfTheApplication() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        ROOT + ".deadletter.jdbc..",
                        ROOT + ".idempotency.jdbc..",
                        ROOT + ".idempotency.redis..",
                        ROOT + ".ratelimit.jdbc..",
                        ROOT + ".ratelimit.redis..")
                .should()
                .callMethod(TimeSource.class, "now")
                .orShould()
                .callMethod(TimeSource.class, "nanoTime")
                .orShould()
                .callMethod(TimeSource.class, "coarseNanoTime")
                .check(STARTER);
    }

    static Stream<String> packages() {
        return STARTER.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(ROOT))
                .distinct();
    }

    static Stream<Arguments> optionalLibraries() {
        return Stream.of(
                arguments(
                        "io.micrometer..",
                        List.of("autoconfigure", "context", "metrics", "observation", "reactor", "web")),
                arguments("org.springframework.boot.actuate..", List.of("autoconfigure", "actuate")),
                arguments("org.springframework.boot.health..", List.of("autoconfigure", "actuate")),
                arguments(
                        "org.springframework.web..",
                        List.of(
                                "autoconfigure",
                                "actuate",
                                "client",
                                "cloud",
                                "context",
                                "fault",
                                "idempotency.http",
                                "idempotency.http.request",
                                "web")),
                arguments(
                        "jakarta.servlet..",
                        List.of("autoconfigure", "idempotency.http", "idempotency.http.request", "web")),
                arguments("tools.jackson..", List.of("autoconfigure", "idempotency.json")),
                arguments(
                        "org.springframework.security..",
                        List.of("autoconfigure", "context", "idempotency", "reactor")),
                arguments(
                        "org.springframework.data..", List.of("autoconfigure", "idempotency.redis", "ratelimit.redis")),
                arguments("org.springframework.dao..", List.of("autoconfigure")),
                arguments(
                        "org.springframework.transaction..",
                        List.of("autoconfigure", "aop", "idempotency.jdbc", "idempotency.redis", "retry")),
                arguments("org.springframework.jdbc..", List.of("autoconfigure", "idempotency.jdbc", "ratelimit.jdbc")),
                arguments("com.zaxxer.hikari..", List.of("autoconfigure", "idempotency.jdbc")),
                arguments(
                        "reactor..",
                        List.of("actuate", "autoconfigure", "client", "cloud", "idempotency.http", "reactor", "web")),
                arguments("org.springframework.cloud..", List.of("autoconfigure", "cloud")),
                arguments("org.springframework.messaging..", List.of("autoconfigure", "messaging")),
                arguments("org.springframework.kafka..", List.of("autoconfigure", "messaging")),
                arguments("org.apache.kafka..", List.of("messaging")),
                arguments("org.springframework.amqp..", List.of("autoconfigure", "messaging")),
                arguments("org.springframework.jms..", List.of("autoconfigure", "messaging")),
                arguments("jakarta.jms..", List.of("autoconfigure", "messaging")),
                arguments("org.mockito..", List.of("autoconfigure")));
    }

    /** It, or what is nested in it. */
    private static ArchCondition<JavaClass> beUsedByAnotherPackage() {
        return new ArchCondition<>("be used by another package") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean used = STARTER.stream()
                        .filter(each -> each.equals(type) || each.getName().startsWith(type.getName() + "$"))
                        .flatMap(each -> each.getDirectDependenciesToSelf().stream())
                        .map(Dependency::getOriginClass)
                        .anyMatch(user -> !user.getPackage().equals(type.getPackage()));
                events.add(new SimpleConditionEvent(
                        type, used, type.getName() + (used ? " is" : " is not") + " used by another package"));
            }
        };
    }
}
