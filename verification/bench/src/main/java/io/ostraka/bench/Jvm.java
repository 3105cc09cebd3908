package io.ostraka.bench;

import io.ostraka.fixtures.process.Program;
import java.lang.ProcessBuilder.Redirect;

/**
 * The JVM settings that all processes of a bench run have in common.
 *
 * @param compilers highest level of compilation
 */
record Jvm(int compilers) {
    /** The settings for runs that measure times. */
    static final Jvm MEASURED = new Jvm(4);
    /** The settings for runs that count requests and measure no times. They halve the CPU time of a short program. */
    static final Jvm BRIEF = new Jvm(1);

    Program program(Class<?> main) {
        return program(main.getName());
    }

    /** Returns a program whose class may be absent from the class path of this process. */
    Program program(String main) {
        return Program.java(main)
                .jvm("-Xmx1g", "-XX:TieredStopAtLevel=" + compilers)
                .jvm("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
                .errors(Redirect.DISCARD);
    }
}
