package io.ostraka.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compiles each block of Java in the documents, since readers copy them. {@code SpringDocumentsTest} of the module {@code
 * ostraka-job-spring} compiles the blocks that import a class of Spring, which is not on this class path.
 */
class DocumentsCompileTest {
    private static final Path ROOT = Repository.root();
    private static final Pattern BLOCK =
            Pattern.compile("^ *```java\\n(.*?)^ *```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern SPRING =
            Pattern.compile("^import (?:org\\.springframework|io\\.ostraka\\.spring)\\.", Pattern.MULTILINE);
    private static final Pattern TYPE =
            Pattern.compile("^(?:@.*\\n)*(?:public )?(?:final )?(?:class|record|interface) (\\w+)", Pattern.MULTILINE);
    private static final Pattern COMMENT = Pattern.compile("//[^\"\\n]*$", Pattern.MULTILINE);

    /** Types and variables of the reader's application that the documents name without a declaration. */
    private static final String APPLICATION =
            """
            package application;
            %s
            public final class Application {
                public record Order(String customer) {}
                public static class Orders {
                    public List<Order> unsettled(int item, int items) { return List.of(); }
                    public void settle(Order order, long token) {}
                }
                public interface Mail { Object send(Object report); }
                public interface Partner { Object ask(Order order); }
                public interface Prices { void load(); }
                public interface Reports { void open(String run); void send(String run, Map<String, ItemOutcome> outcomes); }
                /** The methods of Spring's class that the documents call; Spring is not on this class path. */
                public interface JdbcTemplate {
                    interface ConnectionCallback<T> { T doInConnection(Connection connection) throws SQLException; }
                    <T> T execute(ConnectionCallback<T> action);
                    int update(String sql, Object... values);
                }
                public record Asked(Order order) implements Tasks.Task<Object> {
                    public Object call() { return order; }
                }
                public static Object ship(Order order) { return order; }
                public static void answer(HttpExchange exchange, boolean good) {}
                public static void write(Connection connection, ShardingContext context) {}
                public static JdbcTemplate jdbcTemplate;
                public static DataSource dataSource;
                public static JdbcFence fence;
                public static long balance, id;
                public static Mail mail;
                public static Partner partner;
                public static Prices prices;
                public static Reports reports;
                public static Order order;
                public static SimpleJob job, settle, report;
                public static JobConfiguration configuration, settleEvery, reportDaily;
                public static ZooKeeperRegistry registry;
                public static Operations operations;
                public static Command command;
                public static CommandOptions options, otherOptions;
                public static ShardingContext context;
                public static String servers;
                public static HttpServer server;
                public static Logger log;
            }
            """;

    private static final String IMPORTS =
            """
            import static java.time.DayOfWeek.*;
            import static org.junit.jupiter.api.Assertions.*;
            import com.sun.net.httpserver.*;
            import io.ostraka.api.*;
            import io.ostraka.api.event.*;
            import io.ostraka.api.metrics.*;
            import io.ostraka.api.operations.*;
            import io.ostraka.history.*;
            import io.ostraka.history.jdbc.*;
            import io.ostraka.jdbc.*;
            import io.ostraka.lite.*;
            import io.ostraka.mail.*;
            import io.ostraka.testkit.*;
            import io.ostraka.zk.*;
            import java.net.URI;
            import java.nio.file.*;
            import java.sql.Connection;
            import java.sql.SQLException;
            import java.time.*;
            import java.util.*;
            import javax.sql.DataSource;
            import org.jspecify.annotations.Nullable;
            import org.junit.jupiter.api.Test;
            import org.junit.jupiter.api.extension.ExtendWith;
            import org.slf4j.*;
            """;

    @TempDir
    Path classes;

    /** Source of one compilation unit. Its URI contains the name of the document and the line of the block. */
    private static final class Source extends SimpleJavaFileObject {
        private final String place;
        private final String text;

        Source(String type, String place, String text) {
            super(URI.create("memory:///" + place.replace(':', '/') + "/" + type + ".java"), Kind.SOURCE);
            this.place = place;
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    static List<Path> documents() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), files.sorted())
                    .filter(file -> file.toString().endsWith(".md")
                            && BLOCK.matcher(read(file)).find())
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the compilation unit of a block. A block that starts with a package is a complete file. To other blocks
     * the method adds the missing imports and declarations, and it wraps statements in a method.
     */
    private static Source source(String document, MatchResult block, int line) {
        String place = document + ":" + line;
        String text = block.group(1).stripIndent().replace("…", "");
        var type = TYPE.matcher(text);
        String given = "import static application.Application.*;\n";
        String unit = "package document;\n" + IMPORTS + given;
        if (text.startsWith("package ")) {
            type.find();
            return new Source(type.group(1), place, text);
        } else if (text.startsWith("import ")) {
            type.find();
            return new Source(type.group(1), place, "package document;\n" + given + text);
        } else if (type.find()) {
            return new Source("Types" + line, place, unit + text.replaceAll("(?m)^public ", ""));
        }
        String code = COMMENT.matcher(text).replaceAll("").strip();
        String statements = code.endsWith(";") || code.endsWith("}") ? code : "Object value = " + code + ";";
        String name = "Statements" + line;
        return new Source(
                name, place, unit + "class " + name + " { void run() throws Exception {\n" + statements + "\n} }");
    }

    @ParameterizedTest
    @MethodSource("documents")
    void everyBlockOfJavaCompiles(Path document) {
        String text = read(document);
        List<Source> sources = new ArrayList<>();
        sources.add(new Source("Application", "application", APPLICATION.formatted(IMPORTS)));
        BLOCK.matcher(text)
                .results()
                .filter(block -> !SPRING.matcher(block.group(1)).find())
                .forEach(block -> {
                    int line =
                            1 + (int) text.substring(0, block.start()).lines().count();
                    sources.add(source(document.getFileName().toString(), block, line));
                });

        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var found = new DiagnosticCollector<JavaFileObject>();
        var options = List.of("-proc:none", "-nowarn", "-d", classes.toString());
        compiler.getTask(null, null, found, options, null, sources).call();

        assertThat(found.getDiagnostics())
                .filteredOn(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .extracting(each -> (each.getSource() instanceof Source source ? source.place : "") + ": "
                        + each.getMessage(Locale.ENGLISH))
                .isEmpty();
    }
}
