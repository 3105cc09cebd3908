package io.ostraka.testkit.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The installed programs of PostgreSQL.
 *
 * @param directory directory of the programs
 */
record PostgreSqlPrograms(Path directory) {
    static final String USER = "postgres";

    private static final boolean ROOT = System.getProperty("user.name").equals("root");

    /** Returns the programs of the newest installed server. */
    static Optional<PostgreSqlPrograms> find() {
        List<Path> found = new ArrayList<>();
        Path versions = Path.of("/usr/lib/postgresql");
        if (Files.isDirectory(versions)) {
            try (Stream<Path> each = Files.list(versions)) {
                each.sorted(Comparator.comparing(PostgreSqlPrograms::version).reversed())
                        .forEach(version -> found.add(version.resolve("bin")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (String each : System.getenv().getOrDefault("PATH", "").split(":")) {
            found.add(Path.of(each));
        }
        return found.stream()
                .filter(each ->
                        Files.isExecutable(each.resolve("initdb")) && Files.isExecutable(each.resolve("postgres")))
                .findFirst()
                .map(PostgreSqlPrograms::new);
    }

    private static double version(Path directory) {
        String name = directory.getFileName().toString();
        return name.matches("\\d+(\\.\\d+)?") ? Double.parseDouble(name) : 0;
    }

    /** Gives a directory to the user under which the server runs, because the server refuses to run as root. */
    void own(Path home) throws IOException {
        if (ROOT) {
            Files.setOwner(
                    home, home.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
        }
    }

    /** Creates an empty database in a directory. */
    void create(Path home) throws IOException {
        Process process =
                start(home, "initdb", "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync");
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException("initdb failed:\n" + output);
        }
    }

    /** Starts a program that uses the data in a directory. */
    Process start(Path home, String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (ROOT) {
            command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--init-groups"));
        }
        command.addAll(List.of(directory.resolve(name).toString(), "-D", home + "/data"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C"); // language of the server's messages
        return builder.start();
    }
}
