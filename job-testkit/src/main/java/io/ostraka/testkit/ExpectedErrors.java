package io.ostraka.testkit;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Declares the ERROR log lines that a test class causes on purpose. While the class runs, these lines and their stack
 * traces are removed from standard error, to which SLF4J's simple logger writes. Any ERROR line that remains in the
 * output of a build is therefore unexpected.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ExpectedErrors.Filter.class)
public @interface ExpectedErrors {
    /** Texts of expected lines. An ERROR line is expected if it contains at least one of them. */
    String[] value();

    /**
     * Removes the expected lines. If several annotated classes run at the same time, a line is removed if at least one
     * of them expects it.
     */
    final class Filter implements BeforeAllCallback, AfterAllCallback {
        private static final List<String> EXPECTED = new CopyOnWriteArrayList<>();

        @Override
        public void beforeAll(ExtensionContext context) {
            synchronized (EXPECTED) {
                EXPECTED.addAll(List.of(texts(context)));
                if (!(System.err instanceof Filtered)) {
                    System.setErr(new Filtered(System.err));
                }
            }
        }

        @Override
        public void afterAll(ExtensionContext context) {
            for (String text : texts(context)) {
                EXPECTED.remove(text);
            }
        }

        private static String[] texts(ExtensionContext context) {
            return context.getRequiredTestClass()
                    .getAnnotation(ExpectedErrors.class)
                    .value();
        }
    }

    /** A replacement of standard error that drops the expected lines. */
    final class Filtered extends PrintStream {
        private Filtered(PrintStream to) {
            super(new Lines(to), true, StandardCharsets.UTF_8);
        }
    }

    /** Collects the output, and passes on each line when it is complete. */
    final class Lines extends OutputStream {
        /**
         * Pattern of the first line of a log entry. All other lines, such as stack traces, belong to the entry before
         * them.
         */
        private static final Pattern BEGINS = Pattern.compile("(\\d\\d:\\d\\d:\\d\\d\\.\\d{3} )?\\[.*");

        private final PrintStream to;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private boolean dropping;

        private Lines(PrintStream to) {
            this.to = to;
        }

        @Override
        public synchronized void write(int character) {
            if (character != '\n') {
                line.write(character);
                return;
            }
            String text = line.toString(StandardCharsets.UTF_8);
            line.reset();
            if (BEGINS.matcher(text).matches()) {
                dropping = text.contains(" ERROR ") && Filter.EXPECTED.stream().anyMatch(text::contains);
            }
            if (!dropping) {
                to.println(text);
            }
        }
    }
}
