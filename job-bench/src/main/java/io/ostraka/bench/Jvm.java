package io.ostraka.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How the processes of a run are started, all in the same way.
 *
 * @param options besides those that all runs have
 */
record Jvm(List<String> options) {
    /** What figures are measured with. */
    static final Jvm MEASURED = new Jvm(List.of());
    /** Takes half the CPU time for a program that ends soon: where only counts are of interest. */
    static final Jvm BRIEF = new Jvm(List.of("-XX:TieredStopAtLevel=1"));

    /** With these options too, which win over the others. */
    Jvm with(String... more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return new Jvm(all);
    }

    java.lang.Process start(String classPath, Class<?> program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, program.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
