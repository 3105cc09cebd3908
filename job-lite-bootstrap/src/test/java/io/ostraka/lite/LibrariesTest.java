package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application may bring older libraries than those that Ostraka was compiled with. */
class LibrariesTest {
    @TempDir
    private Path directory;

    @Test
    void libraryVersionsOfTheBuildAreAccepted() {
        assertThat(Libraries.problems(LibrariesTest.class.getClassLoader())).isEmpty();
    }

    @Test
    void oldJarIsNamedWithItsVersionAndTheOldestAcceptedOne() throws Exception {
        Path jar = jar("gson-2.11.0.jar", true, "2.11.0");
        assertThat(problem(jar))
                .isEqualTo(jar.toUri().toURL() + " has gson 2.11.0, and Ostraka needs gson 2.12.0 or later");
    }

    @Test
    void oldClassesInAMergedJarAreFoundWithoutAVersion() throws Exception {
        Path jar = jar("all.jar", true, null);
        assertThat(problem(jar))
                .isEqualTo(
                        jar.toUri().toURL() + " has gson of an older version, and Ostraka needs gson 2.12.0 or later");
    }

    @Test
    void newClassesInAMergedJarAreAccepted() throws Exception {
        try (URLClassLoader loader = loader(jar("all.jar", false, null))) {
            assertThat(Libraries.problems(loader))
                    .noneMatch(problem -> problem.contains("gson"))
                    .anyMatch(problem -> problem.startsWith("the class path has no usable quartz"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2.10.1, 2.12.0, true",
        "2.9, 2.12.0, true",
        "3.8.4, 3.9.0, true",
        "4.1.3.Final, 4.1.4, true",
        "2.12.0, 2.12.0, false",
        "2.13.2, 2.12.0, false",
        "4.1.130.Final, 4.1.4, false",
        "4.2.0.Final, 4.1.4, false",
        "5.3, 5.3.0, false",
        "3.9.0-1.vendor, 3.9.0, false",
        "unknown, 3.9.0, false"
    })
    void versionsAreComparedByTheirNumbers(String version, String than, boolean older) {
        assertThat(Libraries.older(version, than)).isEqualTo(older);
    }

    private static String problem(Path jar) throws Exception {
        try (URLClassLoader loader = loader(jar)) {
            return Libraries.problems(loader).stream()
                    .filter(problem -> problem.contains("gson"))
                    .findFirst()
                    .orElse("");
        }
    }

    private static URLClassLoader loader(Path jar) throws Exception {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    }

    /**
     * Returns a copy of the build's Gson.
     *
     * @param old true to rename the method that older versions do not have
     * @param version version that the jar shows; null for none, as in a jar that was merged from several
     */
    private Path jar(String name, boolean old, @Nullable String version) throws Exception {
        URL gson = Class.forName("com.google.gson.stream.JsonReader")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        Path jar = directory.resolve(name);
        try (JarInputStream in = new JarInputStream(gson.openStream());
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                if (entry.getName().endsWith(".class")) {
                    String bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
                    add(out, entry.getName(), old ? bytes.replace("setNestingLimit", "notNestingLimit") : bytes);
                }
            }
            if (version != null) {
                add(out, "META-INF/maven/com.google.code.gson/gson/pom.properties", "version=" + version);
            }
        }
        return jar;
    }

    private static void add(JarOutputStream out, String name, String bytes) throws Exception {
        out.putNextEntry(new JarEntry(name));
        out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }
}
