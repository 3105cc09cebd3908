package io.ostraka.bench;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The program behind {@code bin/bench --spring}. It starts a minimal Spring Boot web application several times, in
 * three variants that take turns: without this library, with this library, and with this library and 100 jobs. A
 * ZooKeeper server is running meanwhile.
 */
public final class SpringBench {
    private static final int ROUNDS = 7;
    private static final int JOBS = 100;
    private static final double KIB_PER_MIB = 1024;
    private static final String PROGRAM = "io.ostraka.bench.spring.Application";

    private SpringBench() {}

    /** A variant of the application, with the figures of its runs. Without this library, the number of jobs is -1. */
    private record Variant(String name, int jobs, List<Path> jars, List<Map<String, Long>> runs) {
        Variant(String name, int jobs, List<Path> jars) {
            this(name, jobs, jars, new ArrayList<>());
        }

        double median(String figure) {
            return Results.median(runs.stream()
                    .map(run -> run.getOrDefault(figure, 0L).doubleValue())
                    .toList());
        }

        String classPath() {
            return String.join(
                    File.pathSeparator, jars.stream().map(Path::toString).toList());
        }
    }

    /**
     * Runs the bench.
     *
     * @param arguments class path of the application without this library; class path that this library adds; and
     *     optionally {@code --check}, which runs one round and checks only that each variant starts
     */
    public static void main(String[] arguments) throws IOException {
        boolean check = arguments.length > 2 && arguments[2].equals("--check");
        Path directory = Files.createTempDirectory("spring");
        List<Path> without = jars(arguments[0], directory);
        Map<String, Path> with = new LinkedHashMap<>();
        Stream.concat(without.stream(), jars(arguments[1], directory).stream())
                .forEach(jar -> with.putIfAbsent(artifact(jar), jar)); // Spring Boot's versions take precedence
        List<Variant> variants = List.of(
                new Variant("without Ostraka", -1, without),
                new Variant("with Ostraka, no job", 0, List.copyOf(with.values())),
                new Variant("with Ostraka, " + JOBS + " jobs", JOBS, List.copyOf(with.values())));
        try (Server server = new Server(Jvm.MEASURED, directory.resolve("zookeeper"))) {
            for (int round = 1; round <= (check ? 1 : ROUNDS); round++) {
                for (Variant variant : variants) {
                    variant.runs().add(run(variant, server.servers(), "round-" + round + "-" + variant.jobs()));
                }
            }
        }
        print(variants);
        System.exit(0);
    }

    /** Returns the jars of a class path. Packs each directory of classes into a jar. */
    private static List<Path> jars(String classPath, Path directory) throws IOException {
        List<Path> jars = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            Path path = Path.of(entry);
            jars.add(Files.isDirectory(path) ? jar(path, directory) : path);
        }
        return jars;
    }

    /** Returns the name of a jar without its version. */
    private static String artifact(Path jar) {
        return jar.getFileName().toString().replaceAll("-\\d[\\w.]*\\.jar$", "");
    }

    private static Path jar(Path classes, Path directory) throws IOException {
        Path jar = directory.resolve(classes.toString().replaceAll("\\W+", "-") + ".jar");
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    private static Map<String, Long> run(Variant variant, String servers, String namespace) throws IOException {
        Program program = Jvm.MEASURED
                .program(PROGRAM)
                .classPath(variant.classPath())
                .arguments(variant.jobs(), "--server.port=0", "--spring.main.banner-mode=off")
                .arguments("--ostraka.namespace=" + namespace, "--ostraka.zookeeper.connect-string=" + servers);
        Map<String, Long> figures = new HashMap<>();
        try (RunningProgram process = program.start()) {
            while (!figures.containsKey("end")) {
                String[] words = process.readUntil("bench ").split(" ");
                if (words.length == 3 && words[0].equals("bench")) {
                    figures.put(words[1], Long.parseLong(words[2]));
                }
            }
        }
        return figures;
    }

    private static void print(List<Variant> variants) {
        List<String> head =
                new ArrayList<>(List.of("medians of " + variants.get(0).runs().size() + " starts"));
        variants.forEach(variant -> head.add(variant.name()));
        List<List<String>> lines = new ArrayList<>();
        lines.add(line("JVM start to ready, ms", variants, variant -> variant.median("ready")));
        lines.add(line("JVM start to all jobs hosted, ms", variants, variant -> variant.median("hosted")));
        lines.add(line("heap after collection, MiB", variants, variant -> variant.median("heap") / KIB_PER_MIB));
        lines.add(line("resident memory, MiB", variants, variant -> variant.median("resident") / KIB_PER_MIB));
        lines.add(line("jars", variants, variant -> variant.jars().size()));
        lines.add(line("size of the jars, MiB", variants, SpringBench::mebibytes));
        new Table(head, lines).markdown().forEach(System.out::println);
    }

    private static double mebibytes(Variant variant) {
        return variant.jars().stream().mapToLong(jar -> jar.toFile().length()).sum() / KIB_PER_MIB / KIB_PER_MIB;
    }

    /** Returns a line with the figure of each variant, and with its ratio to the first variant's figure. */
    private static List<String> line(String name, List<Variant> variants, Function<Variant, Number> figure) {
        double first = figure.apply(variants.get(0)).doubleValue();
        List<String> line = new ArrayList<>(List.of(name));
        for (Variant variant : variants) {
            double value = figure.apply(variant).doubleValue();
            line.add(
                    variant.jobs() < 0
                            ? Table.number(value)
                            : String.format(Locale.ROOT, "%s (%.2f)", Table.number(value), value / first));
        }
        return line;
    }
}
