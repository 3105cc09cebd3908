package io.ostraka.faults.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A Java program that runs in a separate process.
 *
 * @param main name of the main class
 * @param jvm options of the JVM, such as {@code -Xmx96m}, in addition to options for the serial collector and a quick
 *     start
 * @param arguments arguments of the method {@code main}
 * @param classPath class path of the program
 * @param log file to which the program's standard error is appended
 */
public record Program(String main, List<String> jvm, List<String> arguments, String classPath, Path log) {
    /** Copies the lists. */
    public Program {
        jvm = List.copyOf(jvm);
        arguments = List.copyOf(arguments);
    }

    /**
     * Returns a program that runs with the class path of this JVM.
     *
     * @param log file to which the program's standard error is appended
     */
    public static Program of(Class<?> main, Path log) {
        return new Program(main.getName(), List.of(), List.of(), System.getProperty("java.class.path"), log);
    }

    /** Returns this program with additional options of the JVM. */
    public Program jvm(String... options) {
        List<String> all = new ArrayList<>(jvm);
        all.addAll(List.of(options));
        return new Program(main, all, arguments, classPath, log);
    }

    /** Returns this program with additional arguments. */
    public Program arguments(Object... further) {
        List<String> all = new ArrayList<>(arguments);
        for (Object each : further) {
            all.add(each.toString());
        }
        return new Program(main, jvm, all, classPath, log);
    }

    /** Returns this program with another class path. */
    public Program classPath(String other) {
        return new Program(main, jvm, arguments, other, log);
    }

    /**
     * Starts the program.
     *
     * @param said receives each line of the program's standard output, on a separate thread
     */
    public JavaProcess start(Consumer<String> said) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // newer JVMs would print warnings about ZooKeeper's libraries
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(jvm);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new JavaProcess(main, process, said);
    }
}
