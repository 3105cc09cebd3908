package io.ostraka.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The JVM settings that all processes of a bench run have in common.
 *
 * @param options options in addition to those that every run uses
 */
record Jvm(List<String> options) {
    /** The settings for runs that measure times. */
    static final Jvm MEASURED = new Jvm(List.of());
    /** The settings for runs that count requests and measure no times. They halve the CPU time of a short program. */
    static final Jvm BRIEF = new Jvm(List.of("-XX:TieredStopAtLevel=1"));

    /** Returns these settings with additional options, which take precedence. */
    Jvm with(String... more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return new Jvm(all);
    }

    java.lang.Process start(String classPath, Class<?> program, List<String> arguments) throws IOException {
        return start(classPath, program.getName(), arguments);
    }

    /** Starts a program whose class is not on the class path of this process. */
    java.lang.Process start(String classPath, String program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, program));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
