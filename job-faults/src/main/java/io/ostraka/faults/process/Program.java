package io.ostraka.faults.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A Java program that is about to be started in a process of its own.
 *
 * @param main name of its class
 * @param jvm options of its JVM, such as {@code -Xmx96m}; the serial collector and a quick start are chosen already
 * @param arguments what its {@code main} is given
 * @param classPath where its classes are
 * @param log the file that everything it writes to standard error is appended to
 */
public record Program(String main, List<String> jvm, List<String> arguments, String classPath, Path log) {
    /** Copies. */
    public Program {
        jvm = List.copyOf(jvm);
        arguments = List.copyOf(arguments);
    }

    /**
     * A program of this class path.
     *
     * @param log the file that everything it writes to standard error is appended to
     */
    public static Program of(Class<?> main, Path log) {
        return new Program(main.getName(), List.of(), List.of(), System.getProperty("java.class.path"), log);
    }

    /** With further options of its JVM. */
    public Program jvm(String... options) {
        List<String> all = new ArrayList<>(jvm);
        all.addAll(List.of(options));
        return new Program(main, all, arguments, classPath, log);
    }

    /** With further arguments. */
    public Program arguments(Object... further) {
        List<String> all = new ArrayList<>(arguments);
        for (Object each : further) {
            all.add(each.toString());
        }
        return new Program(main, jvm, all, classPath, log);
    }

    /** With another class path. */
    public Program classPath(String other) {
        return new Program(main, jvm, arguments, other, log);
    }

    /**
     * Starts it.
     *
     * @param said is given each line that it writes to standard output, on a thread of its own
     */
    public JavaProcess start(Consumer<String> said) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // newer JVMs warn of what ZooKeeper's libraries do
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
