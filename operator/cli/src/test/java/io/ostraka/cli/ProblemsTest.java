package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.Problem.Kind;
import io.ostraka.api.operations.Problem.Remedy;
import io.ostraka.fixtures.Repository;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that REST, the command line and the pages show the same problems, of every kind. */
class ProblemsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T22:00:00Z");

    private static Problem problem(String job, Kind kind, Remedy... remedies) {
        return new Problem(
                job,
                kind,
                kind.level(),
                "text of " + kind,
                List.of("detail since 2026-01-31T21:00:00Z"),
                NOW.minusSeconds(60),
                Set.of("a@1@2"),
                List.of("3", "4"),
                Set.of(),
                List.of(remedies));
    }

    private static Harness showing(List<Problem> problems) {
        return Harness.of(
                (Operations) Proxy.newProxyInstance(
                        ProblemsTest.class.getClassLoader(),
                        new Class<?>[] {Operations.class},
                        (proxy, method, arguments) -> method.getName().equals("problems")
                                ? problems
                                : new NamespaceDetails(null, 1, 1, null, Map.of(), 1, null, NOW)),
                () -> NOW);
    }

    private static String json(Problem problem) {
        return problem.job() + " " + problem.kind() + " " + problem.level();
    }

    @Test
    void everyKindIsShownByRestAndTheCommandLine() {
        List<Problem> problems = Stream.of("settle", null)
                .flatMap(job -> Stream.of(Kind.values()).map(kind -> problem(job, kind, Remedy.of("mend it"))))
                .toList();
        Harness ostraka = showing(problems);

        assertThat(ostraka.run("status", "-o", "json")).isZero();
        assertThat(JsonParser.parseString(ostraka.out()).getAsJsonObject().getAsJsonArray("problems"))
                .extracting(each -> {
                    JsonObject json = each.getAsJsonObject();
                    return (json.has("job") ? json.get("job").getAsString() : null)
                            + " "
                            + json.get("kind").getAsString() + " "
                            + json.get("level").getAsString();
                })
                .containsExactlyElementsOf(
                        problems.stream().map(ProblemsTest::json).toList());
        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out().lines().filter(line -> line.startsWith("! ") || line.startsWith("- ")))
                .containsExactlyInAnyOrderElementsOf(problems.stream()
                        .map(each -> (each.level() == Problem.Level.NOTE ? "- " : "! ")
                                + (each.job() == null ? "" : each.job() + ": ")
                                + each.text())
                        .toList());
    }

    /** The pages show the list of REST as it is; they only add words, and a link for each view that an action names. */
    @Test
    void pagesHaveWordsForEveryKindAndALinkForEveryView() throws Exception {
        String words = Files.readString(
                Repository.root().resolve("operator/console/src/main/resources/io/ostraka/console/web/app/texts.mjs"));
        String screen = Files.readString(Repository.root()
                .resolve("operator/console/src/main/resources/io/ostraka/console/web/app/screens/overview.mjs"));

        assertThat(Kind.values()).allSatisfy(each -> assertThat(words).contains("'kind." + each + "': ["));
        assertThat(Problem.Level.values()).allSatisfy(each -> assertThat(screen).contains(each + ": '"));
        assertThat(Stream.of(
                        Operation.ITEMS,
                        Operation.JOB,
                        Operation.JOBS,
                        Operation.INSTANCES,
                        Operation.ALARMS,
                        Operation.BACKFILLS))
                .allSatisfy(each -> assertThat(screen).contains("    " + each + ": "));
    }

    /** The names of items come from the application. */
    @Test
    void nameThatLooksLikeAnOptionIsNoOption() {
        Harness ostraka = showing(List.of(problem(
                "settle",
                Kind.QUARANTINED_ITEMS,
                Remedy.of("disable", new Command.DisableItem("settle", "--yes")),
                Remedy.of("stop", new Command.StopFire("settle", "-3", "run-1")),
                Remedy.of("enable", new Command.EnableInstance("settle", "-b")))));

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out().lines().filter(line -> line.startsWith("    > ")))
                .containsExactly(
                        "    > disable:  ostraka item disable --reason TEXT -- settle --yes",
                        "    > stop:  ostraka run stop settle run-1 --item=-3",
                        "    > enable:  ostraka instance enable --job settle -- -b");
    }

    @Test
    void actionsAreCommandLinesThatAPersonCanCopy() {
        Harness ostraka = showing(List.of(problem(
                "settle",
                Kind.QUARANTINED_ITEMS,
                Remedy.of("release", new Command.ReleaseItem("settle", "3")),
                Remedy.of("release", new Command.ReleaseItem("settle", "4")),
                Remedy.of("disable", new Command.DisableItem("settle", "3")),
                Remedy.of("skip", new Command.Resume("settle", false)),
                Remedy.of("resume", new Command.Resume("settle", true)),
                Remedy.of("stop", new Command.StopFire("settle", "3", "run-1")),
                Remedy.of("stop all", new Command.StopFire("settle", null, "run-1")),
                Remedy.of("back", new Command.RemoveOverride("settle", Set.of("timeout"))),
                Remedy.of("again", new Command.RerunItems("settle", "run 1", Set.of(), Map.of())),
                Remedy.of("enable", new Command.EnableInstance("settle", "b")),
                Remedy.of("drain", new Command.DrainInstance("a", null)),
                Remedy.show("items", Operation.ITEMS),
                Remedy.show("instances", Operation.INSTANCES),
                Remedy.show("jobs", Operation.JOBS),
                Remedy.show("job", Operation.JOB),
                Remedy.of("mend the code"))));

        assertThat(ostraka.run("status")).isZero();
        assertThat(ostraka.out().lines().filter(line -> line.startsWith("    > ")))
                .containsExactly(
                        "    > release:  ostraka item release settle 3 4",
                        "    > disable:  ostraka item disable settle 3 --reason TEXT",
                        "    > skip:  ostraka job resume settle --skip-missed",
                        "    > resume:  ostraka job resume settle",
                        "    > stop:  ostraka run stop settle run-1 --item 3",
                        "    > stop all:  ostraka run stop settle run-1",
                        "    > back:  ostraka job override remove settle timeout",
                        "    > again:  ostraka run rerun settle 'run 1'",
                        "    > enable:  ostraka instance enable b --job settle",
                        "    > drain:  ostraka instance drain a --reason TEXT",
                        "    > items:  ostraka item list settle 3 4",
                        "    > instances:  ostraka instance list -o wide",
                        "    > jobs:  ostraka job list --problems",
                        "    > job:  ostraka job get settle",
                        "    > mend the code");
        assertThat(ostraka.out())
                .contains("    since 2026-01-31 21:59:00Z (1 min ago), reported by a@1@2")
                .contains("    detail since 2026-01-31 21:00:00Z (1 h ago)");
    }
}
