package io.ostraka.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;

/** The line of Spring Boot, such as 3 or 4, for which a module was built. Used by these modules. */
public final class BootLine {
    private BootLine() {}

    /**
     * Checks that the application has the given line.
     *
     * @param line major version of Spring Boot
     * @throws IllegalStateException if the application has another line; the message names the right module
     */
    public static void require(int line) {
        require(line, SpringBootVersion.getVersion());
    }

    static void require(int line, @Nullable String version) {
        if (version != null && !version.startsWith(line + ".")) {
            String right = version.substring(0, Math.max(version.indexOf('.'), 0));
            throw new StartRefusedException(
                    "module ostraka-job-spring-boot-" + line + " is for Spring Boot " + line
                            + ", but this application has Spring Boot " + version,
                    "use ostraka-spring-boot-" + right + "-starter in place of ostraka-spring-boot-" + line
                            + "-starter");
        }
    }
}
