package dev.resilience.spring;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
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
import dev.resilience.spring.kind.Kind;
import dev.resilience.time.TimeSource;
import java.io.File;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** Which other packages of the starter a package may know, besides the root; none knows who configures it. */
    private static final Map<String, List<String>> MAY_KNOW = Map.ofEntries(
            Map.entry(ROOT, List.of()),
            Map.entry(ROOT + ".actuate", List.of(ROOT + ".kind", ROOT + ".registry")),
            Map.entry(
                    ROOT + ".aop",
                    List.of(
                            ROOT + ".aop.method",
                            ROOT + ".aop.policy",
                            ROOT + ".context",
                            ROOT + ".idempotency",
                            ROOT + ".kind",
                            ROOT + ".reactor",
                            ROOT + ".transaction",
                            ROOT + ".weaving")),
            Map.entry(ROOT + ".aop.check", List.of(ROOT + ".aop", ROOT + ".aop.method", ROOT + ".kind")),
            Map.entry(ROOT + ".aop.method", List.of(ROOT + ".kind", ROOT + ".reactor", ROOT + ".weaving")),
            Map.entry(ROOT + ".aop.policy", List.of(ROOT + ".aop.method", ROOT + ".kind")),
            Map.entry(ROOT + ".autoconfigure.condition", List.of(ROOT + ".properties", ROOT + ".properties.store")),
            Map.entry(ROOT + ".cloud", List.of(ROOT + ".reactor")),
            Map.entry(ROOT + ".context", List.of()),
            Map.entry(ROOT + ".deadletter", List.of(ROOT + ".idempotency.json", ROOT + ".kind")),
            Map.entry(
                    ROOT + ".deadletter.jdbc",
                    List.of(ROOT + ".idempotency.jdbc", ROOT + ".idempotency.jdbc.connection")),
            Map.entry(ROOT + ".fallback", List.of(ROOT + ".kind", ROOT + ".reactor", ROOT + ".retry")),
            Map.entry(ROOT + ".fault", List.of()),
            Map.entry(
                    ROOT + ".idempotency",
                    List.of(
                            ROOT + ".idempotency.fingerprint",
                            ROOT + ".idempotency.http",
                            ROOT + ".idempotency.http.request",
                            ROOT + ".idempotency.json",
                            ROOT + ".kind",
                            ROOT + ".reactor",
                            ROOT + ".retry")),
            Map.entry(ROOT + ".idempotency.fingerprint", List.of(ROOT + ".kind")),
            Map.entry(
                    ROOT + ".idempotency.http",
                    List.of(
                            ROOT + ".idempotency.fingerprint",
                            ROOT + ".idempotency.http.request",
                            ROOT + ".idempotency.json",
                            ROOT + ".kind",
                            ROOT + ".reactor")),
            Map.entry(ROOT + ".idempotency.http.request", List.of(ROOT + ".kind")),
            Map.entry(ROOT + ".idempotency.jdbc", List.of(ROOT + ".idempotency.jdbc.connection")),
            Map.entry(ROOT + ".idempotency.jdbc.check", List.of(ROOT + ".idempotency", ROOT + ".idempotency.jdbc")),
            Map.entry(ROOT + ".idempotency.jdbc.connection", List.of()),
            Map.entry(ROOT + ".idempotency.json", List.of(ROOT + ".idempotency.fingerprint")),
            Map.entry(ROOT + ".idempotency.redis", List.of()),
            Map.entry(ROOT + ".kind", List.of()),
            Map.entry(ROOT + ".lifecycle", List.of()),
            Map.entry(ROOT + ".metrics", List.of(ROOT + ".kind", ROOT + ".web")),
            Map.entry(ROOT + ".migration", List.of(ROOT + ".properties.unknown")),
            Map.entry(
                    ROOT + ".properties",
                    List.of(
                            ROOT + ".aop",
                            ROOT + ".aop.policy",
                            ROOT + ".kind",
                            ROOT + ".properties.store",
                            ROOT + ".properties.value")),
            Map.entry(ROOT + ".properties.store", List.of()),
            Map.entry(
                    ROOT + ".properties.unknown",
                    List.of(ROOT + ".aop.policy", ROOT + ".properties", ROOT + ".properties.value")),
            Map.entry(ROOT + ".properties.value", List.of()),
            Map.entry(ROOT + ".reactor", List.of()),
            Map.entry(
                    ROOT + ".registry",
                    List.of(ROOT + ".aop.check", ROOT + ".kind", ROOT + ".properties", ROOT + ".properties.unknown")),
            Map.entry(ROOT + ".retry", List.of(ROOT + ".deadletter", ROOT + ".kind")),
            Map.entry(ROOT + ".transaction", List.of()),
            Map.entry(ROOT + ".weaving", List.of()),
            Map.entry(ROOT + ".web", List.of(ROOT + ".reactor")));

    private static final JavaClasses STARTER = new ClassFileImporter()
            .importUrl(ResilienceRegistry.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    @ParameterizedTest
    @MethodSource("packages")
    void aPackageKnowsNoOtherThanItMay(String name) {
        if (Set.of(ROOT + ".autoconfigure", ROOT + ".autoconfigure.preinitialize")
                .contains(name)) {
            return; // they put all of them together
        }
        List<String> mayKnow = isOfKind(name) ? List.of(ROOT + ".kind") : MAY_KNOW.get(name);
        assertThat(mayKnow).as("new packages are entered in the table").isNotNull();
        noClasses()
                .that()
                .resideInAPackage(name)
                .should(dependOnClassesThat(resideInAPackage(ROOT + "..")
                        .and(not(resideInAnyPackage(name, ROOT)))
                        .and(not(resideInAnyPackage(mayKnow.toArray(String[]::new))))))
                .check(STARTER);
    }

    /** The packages of kinds look alike, unless the table says otherwise. */
    private static boolean isOfKind(String name) {
        return !MAY_KNOW.containsKey(name)
                && STARTER.getPackage(name).getClasses().stream().anyMatch(type -> type.isAssignableTo(Kind.class));
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
    void aPackageHasTwentyFilesAtMost(String name) {
        assertThat(Path.of("src/main/java", name.split("\\.")).toFile().listFiles(File::isFile))
                .hasSizeBetween(2, 20);
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
    void anOptionalLibraryIsKnownInOnePlace(String library, String[] places) {
        noClasses()
                .that(not(resideInAPackage(ROOT + ".autoconfigure")).and(not(among(Set.of(places)))))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(STARTER);
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
                        ROOT + ".deadletter.jdbc..", ROOT + ".idempotency.jdbc..", ROOT + ".idempotency.redis..")
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
                        places(
                                "ResilienceMeters",
                                "SampleMeters",
                                "RegisteredMeters",
                                "LiveObjectMeters",
                                "EventTimers",
                                "CallContextAccessor",
                                "SnapshotCarrier",
                                "ReactorThreadLocals")),
                arguments(
                        "org.springframework.boot.actuate..",
                        places(
                                "ResilienceEndpoint",
                                "ResilienceWebEndpointExtension",
                                "EndpointRefusal",
                                "DeadLetterEntries")),
                arguments("org.springframework.boot.health..", places("ResilienceHealthIndicator")),
                arguments(
                        "org.springframework.web..",
                        places(
                                "ResilienceExceptionHandler",
                                "PolicyBodyAdvice",
                                "LeavingRefusal",
                                "SelectiveHandlers",
                                "AdviceCache",
                                "ServletAdvices",
                                "ReactiveAdvices",
                                "RestClientFailures",
                                "WebClientFailures",
                                "GatewayCircuitBreakerFilterFactory",
                                "CurrentExchange",
                                "CurrentServletRequest",
                                "AnswerStatus",
                                "AnswerWriter",
                                "HandlerAnswers",
                                "LiveRequest",
                                "MvcAnswers",
                                "ReactiveAnswer",
                                "ReactiveAnswers",
                                "SentAnswerCodec",
                                "SentAnswerHandler",
                                "ResponseBodyCodec",
                                "ReplayHeader",
                                "FingerprintArguments",
                                "RequestContextCarrier",
                                "CallContextServletFilter",
                                "CallContextCallableInterceptor",
                                "CallContextWebFilter")),
                arguments(
                        "jakarta.servlet..",
                        places(
                                "CurrentServletRequest",
                                "ReplayHeader",
                                "AnswerWriter",
                                "BufferedResponse",
                                "LiveRequest",
                                "MvcAnswers",
                                "PendingAnswer",
                                "SentAnswer",
                                "SentAnswerHandler",
                                "CallContextServletFilter")),
                arguments(
                        "tools.jackson..",
                        places(
                                "JacksonJson",
                                "StoreMapper",
                                "LosslessIntrospector",
                                "LosslessJdkModule",
                                "ResultCheck",
                                "DeserializedTypes",
                                "SerializedTypes",
                                "Subclasses")),
                arguments(
                        "org.springframework.security..",
                        places(
                                "SecurityCallerScope",
                                "SecurityContextCarrier",
                                "ReactiveCaller",
                                "UnauthenticatedContext")),
                arguments(
                        "org.springframework.data..",
                        places("RedisIdempotencyStore", "KeySearch", "LuaScript", "EvictionCheck")),
                arguments("org.springframework.dao..", places()),
                arguments(
                        "org.springframework.transaction..",
                        places(
                                "BoundTransaction",
                                "OwnConnections",
                                "TransactionCheck",
                                "TransactionalSourceCheck",
                                "ImplicitRedisStoreCheck",
                                "UndoneAttempt",
                                "RollbackMarks",
                                "RollbackMarksRegistration",
                                "OpenTransactions",
                                "OpenConnections")),
                arguments(
                        "org.springframework.jdbc..",
                        places(
                                "JdbcIdempotencyStore",
                                "BoundTransaction",
                                "DataSourceLayers",
                                "NamedSql",
                                "TransactionalSourceCheck",
                                "OpenConnections")),
                arguments("com.zaxxer.hikari..", places("PoolState", "SpareConnection")),
                arguments(
                        "reactor..",
                        places(
                                "CallContextWebFilter",
                                "AttemptSubscriber",
                                "BufferedReactiveResponse",
                                "FluxCall",
                                "GatewayCircuitBreakerFilterFactory",
                                "MonoCall",
                                "ProtectedFlux",
                                "ProtectedMonos",
                                "ReactiveAnswer",
                                "ReactiveAnswers",
                                "ReactiveRequest",
                                "ReactiveCallContext",
                                "ReactiveCaller",
                                "ReactiveResilienceCircuitBreakerFactory",
                                "ReactorThreadLocals",
                                "ResilienceBlockHoundIntegration",
                                "ResilienceOperator",
                                "SubscribedCall",
                                "SuspendingCalls")),
                arguments(
                        "org.springframework.cloud..",
                        places(
                                "CircuitBreakerPolicyConfig",
                                "GatewayCircuitBreakerFilterFactory",
                                "ResilienceCircuitBreakerFactory",
                                "ReactiveResilienceCircuitBreakerFactory")),
                arguments("org.mockito..", places()));
    }

    private static Object places(String... simpleNames) {
        return simpleNames;
    }

    private static DescribedPredicate<JavaClass> among(Set<String> simpleNames) {
        return DescribedPredicate.describe("among " + simpleNames, type -> simpleNames.contains(outermostName(type)));
    }

    private static String outermostName(JavaClass type) {
        return type.getName().substring(type.getPackageName().length() + 1).replaceFirst("\\$.*", "");
    }

    private static ArchCondition<JavaClass> beUsedByAnotherPackage() {
        return new ArchCondition<>("be used by another package") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean used = type.getDirectDependenciesToSelf().stream()
                        .map(Dependency::getOriginClass)
                        .anyMatch(user -> !user.getPackage().equals(type.getPackage()));
                events.add(new SimpleConditionEvent(
                        type, used, type.getName() + (used ? " is" : " is not") + " used by another package"));
            }
        };
    }
}
