package dev.resilience;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

class ArchitectureTests {

    private static final String ROOT = "dev.resilience";

    /** Which rooms a room may use. Whoever adds a line says why in the review. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("time", Set.of()),
            Map.entry("policy", Set.of()),
            Map.entry("event", Set.of("log", "time")),
            Map.entry("log", Set.of("time")),
            Map.entry("fault", Set.of()),
            Map.entry("exception", Set.of("fault", "time")),
            Map.entry("annotation", Set.of("exception")),
            Map.entry("deadline", Set.of("exception", "time")),
            Map.entry("pipeline", Set.of("deadline", "time")),
            Map.entry("fallback", Set.of("event", "log", "pipeline", "time")),
            Map.entry("retry", Set.of("deadline", "event", "exception", "fault", "log", "pipeline", "policy", "time")),
            Map.entry("circuitbreaker", Set.of("event", "exception", "fault", "log", "pipeline", "policy", "time")),
            Map.entry("worker", Set.of("pipeline", "time")),
            Map.entry(
                    "bulkhead",
                    Set.of("deadline", "event", "exception", "log", "pipeline", "policy", "time", "worker")),
            Map.entry(
                    "timelimit",
                    Set.of("deadline", "event", "exception", "log", "pipeline", "policy", "time", "worker")),
            Map.entry("idempotency", Set.of("deadline", "event", "exception", "log", "pipeline", "policy", "time")));

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void coreDependsOnNothingButTheJdkSlf4jAndJspecify() {
        classes()
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(ROOT + "..", "java..", "javax..", "org.slf4j..", "org.jspecify.."))
                .check(CORE);
    }

    @Test
    void everyRoomIsInTheTable() {
        Set<String> rooms = CORE.stream().map(ArchitectureTests::room).collect(Collectors.toSet());

        assertThat(rooms).isEqualTo(MAY_USE.keySet());
    }

    @Test
    void aRoomUsesOnlyWhatItMay() {
        MAY_USE.forEach((room, used) -> classes()
                .that()
                .resideInAPackage(packageOf(room))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(packageOf(room))
                        .or(resideInAnyPackage(
                                used.stream().map(ArchitectureTests::packageOf).toArray(String[]::new)))
                        .or(resideInAnyPackage("java..", "javax..", "org.slf4j..", "org.jspecify..")))
                .check(CORE));
    }

    @Test
    void noRoomsDependOnEachOtherInACircle() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void theStepsOfAPipelineAreNobodysBusiness() {
        classes()
                .that()
                .haveSimpleNameEndingWith("Step")
                .and()
                .doNotHaveSimpleName("Step")
                .should()
                .bePackagePrivate()
                .check(CORE);
    }

    @Test
    void everyPackageIsNullMarked() {
        assertThat(MAY_USE.keySet()).allSatisfy(room -> {
            JavaPackage marked = CORE.getPackage(packageOf(room));
            assertThat(marked.isAnnotatedWith(NullMarked.class)).as(room).isTrue();
        });
    }

    private static String room(JavaClass type) {
        return type.getPackageName().substring(ROOT.length() + 1);
    }

    private static String packageOf(String room) {
        return ROOT + "." + room;
    }
}
