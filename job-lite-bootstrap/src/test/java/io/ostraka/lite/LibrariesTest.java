package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application may bring older libraries than those that Ostraka was compiled with. */
class LibrariesTest {
    private static final String READER = "com/google/gson/stream/JsonReader";

    @TempDir
    private Path directory;

    @Test
    void libraryVersionsOfTheBuildAreAccepted() {
        assertThat(Libraries.problems(LibrariesTest.class.getClassLoader())).isEmpty();
    }

    @Test
    void oldJarIsNamedWithItsVersionAndTheOldestAcceptedOne() throws Exception {
        Path jar = jar("gson-2.11.0.jar", "public void setStrictness() {}", "version=2.11.0");
        assertThat(problem(jar))
                .isEqualTo(jar.toUri().toURL() + " has gson 2.11.0, and Ostraka needs gson 2.12.0 or later");
    }

    @Test
    void oldClassesInAMergedJarAreFoundWithoutAVersion() throws Exception {
        Path jar = jar("all.jar", "", null);
        assertThat(problem(jar))
                .isEqualTo(
                        jar.toUri().toURL() + " has gson of an older version, and Ostraka needs gson 2.12.0 or later");
    }

    @Test
    void newClassesInAMergedJarAreAccepted() throws Exception {
        try (URLClassLoader loader = loader(jar("all.jar", "public void setNestingLimit(int limit) {}", null))) {
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

    private Path jar(String name, String member, String pom) throws Exception {
        Path source = Files.createDirectories(directory.resolve("com/google/gson/stream"))
                .resolve("JsonReader.java");
        Files.writeString(source, "package com.google.gson.stream; public class JsonReader { " + member + " }");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString()))
                .isZero();
        Path jar = directory.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(READER + ".class"));
            out.write(Files.readAllBytes(directory.resolve(READER + ".class")));
            if (pom != null) {
                out.putNextEntry(new JarEntry("META-INF/maven/com.google.code.gson/gson/pom.properties"));
                out.write(pom.getBytes());
            }
        }
        return jar;
    }
}
