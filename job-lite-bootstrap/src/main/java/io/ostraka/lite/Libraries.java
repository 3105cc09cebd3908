package io.ostraka.lite;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Checks the versions of the libraries that the engine uses. A build tool may choose a version that is older than the
 * one that Ostraka was compiled with. Without this check, the engine would fail somewhere in the background.
 */
final class Libraries {
    /**
     * A library.
     *
     * @param minimum oldest version whose classes have all members that the engine uses
     * @param type class that tells this version from older ones
     * @param fits returns whether the class is that of this version or a later one; decides if the jar does not show
     *     its version, for example because it was merged into another jar
     */
    private record Library(String group, String artifact, String minimum, String type, Predicate<Class<?>> fits) {}

    private static final List<Library> ALL = List.of(
            new Library(
                    "com.google.code.gson",
                    "gson",
                    "2.12.0",
                    "com.google.gson.stream.JsonReader",
                    type -> hasMethod(type, "setNestingLimit")),
            new Library(
                    "org.apache.curator",
                    "curator-client",
                    "5.3.0",
                    "org.apache.curator.ensemble.EnsembleProvider",
                    type -> hasMethod(type, "updateServerListEnabled")),
            new Library(
                    "org.apache.curator",
                    "curator-framework",
                    "5.3.0",
                    "org.apache.curator.framework.CuratorFrameworkFactory$Builder",
                    type -> hasMethod(type, "ensembleTracker")),
            new Library(
                    "org.apache.curator",
                    "curator-recipes",
                    "5.3.0",
                    "org.apache.curator.framework.recipes.leader.LeaderLatch",
                    type -> hasMethod(type, "getLastPathIsLeader")),
            new Library(
                    "org.apache.zookeeper",
                    "zookeeper",
                    "3.9.0",
                    "org.apache.zookeeper.Watcher$WatcherType",
                    type -> Arrays.stream(type.getFields())
                            .anyMatch(field -> field.getName().equals("PersistentRecursive"))),
            new Library("org.quartz-scheduler", "quartz", "2.2.0", "org.quartz.Scheduler", type -> Arrays.stream(
                            type.getMethods())
                    .anyMatch(method -> method.getName().equals("scheduleJob") && method.getParameterCount() == 3)),
            new Library("io.netty", "netty-common", "4.1.4", "io.netty.util.HashedWheelTimer", type -> Arrays.stream(
                            type.getConstructors())
                    .anyMatch(constructor -> constructor.getParameterCount() == 5)));

    private Libraries() {}

    private static boolean hasMethod(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method -> method.getName().equals(name));
    }

    /**
     * Checks the libraries on the class path.
     *
     * @throws IllegalStateException if a library is missing or too old; the message names its jar, its version and the
     *     oldest version that is accepted
     */
    static void require() {
        List<String> problems = problems(Libraries.class.getClassLoader());
        if (!problems.isEmpty()) {
            throw new IllegalStateException(String.join("; ", problems)
                    + ". Import ostraka-bom first in dependencyManagement, or set these versions there; 'mvn"
                    + " dependency:tree' shows which dependency brings the other version");
        }
    }

    /** Returns a description of each library that is missing or too old. */
    static List<String> problems(@Nullable ClassLoader loader) {
        return ALL.stream()
                .map(library -> problem(library, loader))
                .filter(problem -> !problem.isEmpty())
                .toList();
    }

    private static String problem(Library library, @Nullable ClassLoader loader) {
        String needed = ", and Ostraka needs " + library.artifact + " " + library.minimum + " or later";
        Class<?> type;
        boolean fits;
        try {
            type = Class.forName(library.type, false, loader);
            fits = library.fits.test(type);
        } catch (ClassNotFoundException | LinkageError e) {
            return "the class path has no usable " + library.artifact + " (" + e + ")" + needed;
        }
        String version = version(library, type);
        if (fits && (version == null || !older(version, library.minimum))) {
            return "";
        }
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return (source == null ? "the class path" : source.getLocation()) + " has " + library.artifact + " "
                + (version == null ? "of an older version" : version) + needed;
    }

    /** Returns the version that the jar of a class shows; null if it shows none. */
    private static @Nullable String version(Library library, Class<?> type) {
        String path = type.getName().replace('.', '/') + ".class";
        URL place = type.getResource("/" + path);
        if (place == null) {
            return null;
        }
        String root = place.toString().substring(0, place.toString().length() - path.length());
        Properties pom = new Properties();
        try (InputStream in = URI.create(
                        root + "META-INF/maven/" + library.group + "/" + library.artifact + "/pom.properties")
                .toURL()
                .openStream()) {
            pom.load(in);
        } catch (IOException | IllegalArgumentException e) { // the jar was built or merged by another tool
            return null;
        }
        return pom.getProperty("version");
    }

    /** Returns whether a version is older than another one. Compares the numbers up to the first other text. */
    static boolean older(String version, String than) {
        String[] ours = version.split("[.-]", -1);
        String[] theirs = than.split("[.-]", -1);
        for (int i = 0; i < Math.max(ours.length, theirs.length); i++) {
            int our = number(ours, i);
            int their = number(theirs, i);
            if (our < 0 || their < 0 || our != their) {
                return our >= 0 && their >= 0 && our < their;
            }
        }
        return false;
    }

    /** Returns a part of a version: 0 if the version has no such part, -1 if the part is not a number. */
    private static int number(String[] parts, int at) {
        if (at >= parts.length) {
            return 0;
        }
        return parts[at].matches("[0-9]{1,9}") ? Integer.parseInt(parts[at]) : -1;
    }
}
