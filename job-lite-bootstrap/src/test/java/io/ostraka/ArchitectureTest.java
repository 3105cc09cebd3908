package io.ostraka;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.base.HasDescription;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.ostraka.api.ScheduleCalculator;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.ValueJson;
import io.ostraka.fixtures.ArchitectureRules;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the dependencies between packages, for the main classes of every module that an application may use. */
class ArchitectureTest {

    /** The packages of the core, each with the other packages that it may depend on. */
    private static final Map<String, Set<String>> CORE = Map.ofEntries(
            seen("model", "api"),
            seen("placement", "api"),
            seen("decide", "api", "core.model", "core.placement"),
            seen("schedule", "api", "core.model"),
            seen("time", "api", "core.schedule"),
            seen("metrics", "api"),
            seen("event", "api", "core.model", "core.time"),
            seen("coordination", "api", "core.model"),
            seen("tree", "api", "core.model", "core.time", "core.coordination"),
            seen("run", "api", "core.model", "core.time", "core.metrics"),
            seen(
                    "leader",
                    "api",
                    "core.model",
                    "core.time",
                    "core.event",
                    "core.placement",
                    "core.decide",
                    "core.coordination"),
            seen(
                    "job",
                    "api",
                    "core.model",
                    "core.time",
                    "core.event",
                    "core.schedule",
                    "core.decide",
                    "core.coordination",
                    "core.run"),
            seen(
                    "instance",
                    "api",
                    "core.model",
                    "core.time",
                    "core.event",
                    "core.schedule",
                    "core.metrics",
                    "core.decide",
                    "core.coordination",
                    "core.run",
                    "core.leader",
                    "core.job"));

    /** Packages of the core that the operator's views and commands may see. They may not see the engine itself. */
    private static final List<String> SEEN_BY_OPERATIONS =
            List.of("model", "time", "schedule", "placement", "decide", "coordination", "instance");

    private static Map.Entry<String, Set<String>> seen(String name, String... others) {
        return Map.entry(name, Set.of(others));
    }

    private static final String[] PURE = {"io.ostraka.core.decide..", "io.ostraka.core.placement.."};

    private static final JavaClasses MAIN = ArchitectureRules.mainClasses("io.ostraka");

    private static final ArchRule ONLY_THE_SYSTEM_CLOCK_READS_THE_TIME =
            ArchitectureRules.onlyTheseReadTheTime(SystemClock.class);

    private static final ArchRule NOBODY_SLEEPS = ArchitectureRules.onlyTheseSleep();

    static Stream<String> corePackages() {
        return CORE.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("corePackages")
    void aPackageOfTheCoreSeesOnlyThoseBelowIt(String name) {
        String[] seen = Stream.concat(Stream.of("core." + name), CORE.get(name).stream())
                .map(seenName -> "io.ostraka." + seenName + "..")
                .toArray(String[]::new);

        noClasses()
                .that()
                .resideInAPackage("io.ostraka.core." + name + "..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.ostraka..").and(not(resideInAnyPackage(seen))))
                .check(MAIN);
    }

    @Test
    void operationsSeeTheCoordinationAndNotTheEngine() {
        Stream<String> seen = Stream.concat(
                Stream.of("io.ostraka.api..", "io.ostraka.operations.."),
                SEEN_BY_OPERATIONS.stream().map(name -> "io.ostraka.core." + name + ".."));

        noClasses()
                .that()
                .resideInAPackage("io.ostraka.operations..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.ostraka..")
                        .and(not(resideInAnyPackage(seen.toArray(String[]::new)))
                                .or(isAnyOf(JobEngine.class))))
                .check(MAIN);
    }

    @Test
    void everyClassOfTheCoreIsInAPackageOfTheTable() {
        classes()
                .that()
                .resideInAPackage("io.ostraka.core..")
                .should()
                .resideInAnyPackage(corePackages()
                        .map(name -> "io.ostraka.core." + name + "..")
                        .toArray(String[]::new))
                .check(MAIN);
    }

    /** This rule also applies within a package, so every class can be read after the classes that it uses. */
    @Test
    void noTwoClassesOfTheCoreOrTheOperationsUseEachOther() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return type.getPackageName().matches("io\\.ostraka\\.(core|operations)\\b.*")
                                ? SliceIdentifier.of(topLevel(type).getName())
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "each class of the core and the operations with its nested ones";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(MAIN);
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::topLevel).orElse(type);
    }

    @Test
    void decisionsUseValuesAloneAndNoClockLoggerOrThread() {
        classes()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                "io.ostraka..",
                                "org.jspecify.annotations",
                                "java.lang..",
                                "java.math",
                                "java.nio.charset",
                                "java.time..",
                                "java.util",
                                "java.util.function",
                                "java.util.stream",
                                "java.util.zip")
                        .and(not(isAnyOf(
                                Clock.class,
                                InstantSource.class,
                                Process.class,
                                Runtime.class,
                                Thread.class,
                                ThreadLocal.class))))
                .check(MAIN);
    }

    @Test
    void decisionsLeaveNothingToChance() {
        noClasses()
                .that()
                .resideInAnyPackage(PURE)
                .should()
                .accessTargetWhere(ArchitectureRules.targetMatches(
                        "chance without a seed",
                        "java\\.lang\\.Math\\.random\\(.*",
                        "java\\.util\\.UUID\\.randomUUID\\(.*",
                        "java\\.util\\.(Random|SplittableRandom)\\.<init>\\(\\)"))
                .check(MAIN);
    }

    @Test
    void theApiStandsOnTheJdkAndSlf4jAlone() {
        classes()
                .that()
                .resideInAPackage("io.ostraka.api..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.ostraka.api..", "java..", "org.slf4j..", "org.jspecify.annotations")
                .check(MAIN);
    }

    /**
     * Applications use these types without importing anything from the core, so the signatures must not contain types
     * of the core.
     */
    @Test
    void whatApplicationsCallTakesAndReturnsNothingOfTheCore() {
        methods()
                .that()
                .areDeclaredInClassesThat(resideInAnyPackage("io.ostraka.lite..")
                        .or(isAnyOf(TestCluster.class, TestCluster.Instance.class, OstrakaExtension.class)))
                .and()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .should(describedAs("name no class of the core", method -> Stream.concat(
                                method.getRawParameterTypes().stream(), Stream.of(method.getRawReturnType()))
                        .noneMatch(type -> type.getPackageName().startsWith("io.ostraka.core"))))
                .check(MAIN);
    }

    /**
     * A type that only its own package uses should not be public. {@code ValueJson} is for ostraka-job-console.
     */
    @Test
    void whatIsPublicInTheCoreIsUsedOutsideItsPackage() {
        classes()
                .that()
                .resideInAPackage("io.ostraka.core..")
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should(describedAs(
                        "be used by a class of another package, or be a service",
                        type -> type.isAssignableTo(ScheduleCalculator.class)
                                || type.isEquivalentTo(ValueJson.class)
                                || usesOf(type).anyMatch(dependency -> !dependency
                                        .getOriginClass()
                                        .getPackageName()
                                        .equals(type.getPackageName()))))
                .check(MAIN);
    }

    private static Stream<Dependency> usesOf(JavaClass type) {
        return MAIN.stream()
                .filter(each -> topLevel(each).equals(type))
                .flatMap(each -> each.getDirectDependenciesToSelf().stream());
    }

    @Test
    void onlyTheZooKeeperAdapterNamesZooKeeperOrCurator() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.ostraka.zk..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.zookeeper..", "org.apache.curator..")
                .check(MAIN);
    }

    @Test
    void onlyFireTimerAndSchedulesNameQuartz() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.ostraka.core.schedule..", "io.ostraka.core.time..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.quartz..")
                .check(MAIN);
    }

    @Test
    void onlyTheSystemClockReadsTheTime() {
        ONLY_THE_SYSTEM_CLOCK_READS_THE_TIME.check(MAIN);
    }

    @Test
    void nobodySleeps() {
        NOBODY_SLEEPS.check(MAIN);
    }

    @Test
    void nobodyPrints() {
        noClasses().should(GeneralCodingRules.ACCESS_STANDARD_STREAMS).check(MAIN);
    }

    @Test
    void noPackageIsNamedAfterNothing() {
        noClasses()
                .should()
                .resideInAnyPackage(
                        "..impl..", "..internal..", "..util..", "..utils..", "..common..", "..helper..", "..helpers..")
                .check(MAIN);
    }

    @Test
    void everyModuleIsLookedAt() {
        for (String name : Set.of("api", "core", "operations", "zk", "lite", "testkit")) {
            assertThat(MAIN.stream().filter(resideInAPackage("io.ostraka." + name + "..")))
                    .as("classes of io.ostraka.%s", name)
                    .isNotEmpty();
        }
    }

    @Test
    void aSleepOrAReadingOfTheTimeIsFoundHoweverItIsWritten() {
        JavaClasses offenders = new ClassFileImporter().importClasses(ReadsTheTime.class, Sleeps.class);

        assertThat(violations(ONLY_THE_SYSTEM_CLOCK_READS_THE_TIME, offenders)).isEqualTo(offences(ReadsTheTime.class));
        assertThat(violations(NOBODY_SLEEPS, offenders)).isEqualTo(offences(Sleeps.class));
    }

    private static int violations(ArchRule rule, JavaClasses offenders) {
        return rule.evaluate(offenders).getFailureReport().getDetails().size();
    }

    private static long offences(Class<?> offender) {
        return Stream.of(offender.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .count();
    }

    private static <T extends HasDescription> ArchCondition<T> describedAs(String description, Predicate<T> holds) {
        return new ArchCondition<>(description) {
            @Override
            public void check(T subject, ConditionEvents events) {
                if (!holds.test(subject)) {
                    events.add(SimpleConditionEvent.violated(
                            subject, subject.getDescription() + " should " + description));
                }
            }
        };
    }

    private static DescribedPredicate<JavaClass> isAnyOf(Class<?>... types) {
        Set<Class<?>> set = Set.of(types);
        return DescribedPredicate.describe(
                "is any of " + set, type -> set.stream().anyMatch(type::isEquivalentTo));
    }

    /** Each method breaks the rule once. */
    @SuppressWarnings({"unused", "JavaUtilDate"})
    private static final class ReadsTheTime {

        LongSupplier monotonicByReference() {
            return System::nanoTime;
        }

        long wall() {
            return System.currentTimeMillis();
        }

        Instant instant() {
            return Instant.now();
        }

        LocalDateTime local(Clock clock) {
            return LocalDateTime.now(clock);
        }

        Clock clock() {
            return Clock.systemUTC();
        }

        Clock tickingClock() {
            return Clock.tickSeconds(ZoneOffset.UTC);
        }

        InstantSource source() {
            return InstantSource.system();
        }

        Date date() {
            return new Date();
        }

        Calendar calendar() {
            return Calendar.getInstance();
        }

        Calendar gregorian() {
            return new GregorianCalendar(TimeZone.getDefault());
        }
    }

    /** Each method breaks the rule once. */
    @SuppressWarnings("unused")
    private static final class Sleeps {

        void aThread() throws InterruptedException {
            Thread.sleep(1);
        }

        void aUnit() throws InterruptedException {
            TimeUnit.SECONDS.sleep(1);
        }
    }
}
