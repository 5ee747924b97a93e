package dev.resilience;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

class ArchitectureTests {

    private static final String ROOT = "dev.resilience";

    /** The room that is the root itself. */
    private static final String FRONT_DOOR = "";

    /** What is for the library alone: the front door hands out and takes nothing of it. */
    private static final Set<String> INTERNAL = Set.of("log");

    private static final Set<String> INTERNAL_EVENTS = Set.of("EventPublisher", "OutcomeCounters");

    /** The rooms in layers, lowest first: a room uses its own layer and what is below, and no two use each other. */
    private static final List<Set<String>> LAYERS = List.of(
            Set.of("annotation", "context", "event", "exception", "fault", "log", "policy", "time"),
            Set.of("pipeline"),
            Set.of(
                    "bulkhead",
                    "circuitbreaker",
                    "deadletter",
                    "fallback",
                    "hedge",
                    "idempotency",
                    "idempotency.store",
                    "ratelimit",
                    "retry",
                    "timelimit"),
            Set.of(FRONT_DOOR));

    /** Who may have clocks, threads and random numbers of its own beside the room of time, and for what. */
    private static final Map<String, String> OWN_SOURCES = Map.of(
            "Attempt", "a new key for a request that has none: nothing is decided by it",
            "Environment", "random numbers, for jitter and shares of calls: it takes others",
            "IdempotencyCall", "a UUID that sets the process apart: nothing is decided by it",
            "IdempotencyContext", "a new key for a call that has none: nothing is decided by it");

    /** Types that bring a clock, a thread or a random number with them, and the methods that do; empty for all. */
    private static final Map<String, Set<String>> FOREIGN_SOURCES = Map.ofEntries(
            Map.entry("java.lang.System", Set.of("nanoTime", "currentTimeMillis")),
            Map.entry("java.time.Instant", Set.of("now")),
            Map.entry("java.time.LocalDateTime", Set.of("now")),
            Map.entry("java.time.OffsetDateTime", Set.of("now")),
            Map.entry("java.time.ZonedDateTime", Set.of("now")),
            Map.entry("java.time.Clock", Set.of()),
            Map.entry("java.lang.Object", Set.of("wait")),
            Map.entry("java.lang.Thread", Set.of("<init>", "sleep", "join", "startVirtualThread", "ofVirtual")),
            Map.entry("java.util.Timer", Set.of()),
            Map.entry("java.util.concurrent.Executors", Set.of()),
            Map.entry("java.util.concurrent.ThreadPoolExecutor", Set.of("<init>")),
            Map.entry("java.util.concurrent.ScheduledThreadPoolExecutor", Set.of()),
            Map.entry("java.util.concurrent.ForkJoinPool", Set.of()),
            Map.entry(
                    "java.util.concurrent.CompletableFuture",
                    Set.of("orTimeout", "completeOnTimeout", "delayedExecutor", "runAsync", "supplyAsync")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep", "timedJoin", "timedWait")),
            Map.entry("java.util.concurrent.CountDownLatch", Set.of("await")),
            Map.entry("java.util.concurrent.Semaphore", Set.of("acquire", "tryAcquire")),
            Map.entry("java.util.concurrent.locks.Condition", Set.of()),
            Map.entry("java.util.concurrent.locks.LockSupport", Set.of("park", "parkNanos", "parkUntil")),
            Map.entry("java.lang.Math", Set.of("random")),
            Map.entry("java.util.Random", Set.of()),
            Map.entry("java.util.SplittableRandom", Set.of()),
            Map.entry("java.security.SecureRandom", Set.of()),
            Map.entry("java.util.concurrent.ThreadLocalRandom", Set.of()),
            Map.entry("java.util.UUID", Set.of("randomUUID")));

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void coreDependsOnNothingButTheJdkSlf4jAndJspecify() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        ROOT + "..", "java..", "javax..", "jdk.jfr..", "org.slf4j..", "org.jspecify.."))
                .check(CORE);
    }

    @Test
    void everyRoomIsInALayer() {
        assertThat(rooms()).allSatisfy(room -> assertThat(LAYERS).as(room).anyMatch(layer -> layer.contains(room)));
    }

    @Test
    void aRoomUsesNothingAboveItsLayer() {
        Set<String> lower = new HashSet<>();
        for (Set<String> layer : LAYERS) {
            lower.addAll(layer);
            classes()
                    .that(describe("are in " + layer, type -> layer.contains(room(type))))
                    .should()
                    .onlyDependOnClassesThat(describe(
                            "are no higher",
                            type -> !type.getPackageName().startsWith(ROOT) || lower.contains(room(type))))
                    .allowEmptyShould(true)
                    .check(CORE);
        }
    }

    @Test
    void noRoomsDependOnEachOtherInACircle() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void theStepsOfAPipelineAreNobodysBusiness() {
        classes()
                .that()
                .haveSimpleNameEndingWith("Step")
                .and()
                .doNotHaveSimpleName("Step")
                .and()
                .doNotHaveSimpleName("AsyncStep")
                .should()
                .bePackagePrivate()
                .check(CORE);
    }

    @Test
    void theFrontDoorHasNothingInternalInItsSignatures() {
        Set<String> internal = CORE.getPackage(ROOT).getClasses().stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
                .flatMap(method -> method.getAllInvolvedRawTypes().stream())
                .filter(type -> type.getPackageName().startsWith(ROOT)
                        && (INTERNAL.contains(room(type)) || INTERNAL_EVENTS.contains(type.getSimpleName())))
                .map(JavaClass::getName)
                .collect(Collectors.toSet());

        assertThat(internal).isEmpty();
    }

    @Test
    void onlyAnInternalRoomSaysThatItIsNotForApplications() throws IOException {
        for (String room : rooms()) {
            Path info = Path.of("src/main/java", packageOf(room).split("\\.")).resolve("package-info.java");
            assertThat(Files.readString(info).contains("Not for applications"))
                    .as(room)
                    .isEqualTo(INTERNAL.contains(room));
        }
    }

    /** What comes from elsewhere no test can hold still: neither manual time nor a simulation sees it. */
    @Test
    void clocksThreadsAndRandomNumbersComeFromTheTimeSource() {
        noClasses()
                .that()
                .resideOutsideOfPackage(packageOf("time"))
                .and(describe(
                        "have no source of their own",
                        type -> !OWN_SOURCES.containsKey(topLevel(type).getSimpleName())))
                .should()
                .accessTargetWhere(describe("it is a foreign source", ArchitectureTests::isForeignSource))
                .check(CORE);
    }

    @Test
    void whoMayHaveASourceOfItsOwnHasOne() {
        Set<String> users = CORE.stream()
                .filter(type -> !room(type).equals("time"))
                .filter(type -> type.getAccessesFromSelf().stream().anyMatch(ArchitectureTests::isForeignSource))
                .map(type -> topLevel(type).getSimpleName())
                .collect(Collectors.toSet());

        assertThat(users).isEqualTo(OWN_SOURCES.keySet());
    }

    private static boolean isForeignSource(JavaAccess<?> access) {
        Set<String> methods = FOREIGN_SOURCES.get(access.getTargetOwner().getFullName());
        return methods != null
                && (methods.isEmpty() || methods.contains(access.getTarget().getName()));
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTests::topLevel).orElse(type);
    }

    /** With its package-info; one with more has two subjects. */
    @Test
    void aRoomHasThirtyFilesAtMost() {
        assertThat(rooms())
                .allSatisfy(room -> assertThat(
                                Path.of("src/main/java", packageOf(room).split("\\."))
                                        .toFile()
                                        .listFiles(File::isFile))
                        .as(room)
                        .hasSizeBetween(2, 30));
    }

    @Test
    void everyPackageIsNullMarked() {
        assertThat(rooms()).allSatisfy(room -> {
            JavaPackage marked = CORE.getPackage(packageOf(room));
            assertThat(marked.isAnnotatedWith(NullMarked.class)).as(room).isTrue();
        });
    }

    private static Set<String> rooms() {
        return CORE.stream().map(ArchitectureTests::room).collect(Collectors.toSet());
    }

    private static String room(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? FRONT_DOOR : name.substring(ROOT.length() + 1);
    }

    private static String packageOf(String room) {
        return room.equals(FRONT_DOOR) ? ROOT : ROOT + "." + room;
    }
}
