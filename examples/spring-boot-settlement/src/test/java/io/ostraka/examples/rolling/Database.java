package io.ostraka.examples.rolling;

import io.ostraka.fixtures.Repository;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.h2.tools.Server;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A temporary database server with the application's tables: PostgreSQL if it is installed, otherwise H2 in this process.
 *
 * @param name name and version, for people
 * @param properties file with the properties by which an application connects
 * @param template access for this process
 * @param end ends the server
 */
record Database(String name, Path properties, JdbcTemplate template, Runnable end) implements AutoCloseable {
    private static final Path WITH_POSTGRES = Repository.root().resolve("bin/with-postgres");
    private static final int NOT_INSTALLED = 69;
    private static final int END_SECONDS = 30;

    static Database start(Path directory) throws IOException, InterruptedException, SQLException {
        Process postgres = new ProcessBuilder(
                        WITH_POSTGRES.toString(),
                        "sh",
                        "-c",
                        "echo $SPRING_DATASOURCE_URL; echo $SPRING_DATASOURCE_USERNAME; echo $SPRING_DATASOURCE_PASSWORD; cat")
                .redirectError(directory.resolve("postgres.log").toFile())
                .start();
        BufferedReader lines = postgres.inputReader(StandardCharsets.UTF_8);
        String url = lines.readLine();
        if (url != null) {
            return of(directory, url, lines.readLine(), lines.readLine(), () -> end(postgres));
        }
        if (postgres.waitFor() != NOT_INSTALLED) {
            throw new IllegalStateException(
                    "PostgreSQL does not start: " + Files.readString(directory.resolve("postgres.log")));
        }
        Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        String file = "jdbc:h2:tcp://localhost:" + server.getPort() + "/" + directory.resolve("settlement");
        return of(directory, file, "settlement", UUID.randomUUID().toString(), server::stop);
    }

    /** Ends the server's script, which waits for the end of its input. */
    private static void end(Process postgres) {
        try {
            postgres.getOutputStream().close();
            if (!postgres.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                postgres.destroy();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("PostgreSQL does not end", e);
        }
    }

    private static Database of(Path directory, String url, String user, String password, Runnable end)
            throws IOException {
        Properties properties = new Properties();
        properties.put("spring.datasource.url", url);
        properties.put("spring.datasource.username", user);
        properties.put("spring.datasource.password", password);
        Path file = directory.resolve("database.properties");
        try (var out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        var source = new DriverManagerDataSource(url, user, password);
        new ResourceDatabasePopulator(new ClassPathResource("schema.sql")).execute(source);
        var template = new JdbcTemplate(source);
        String name = template.execute((ConnectionCallback<String>)
                connection -> connection.getMetaData().getDatabaseProductName() + " "
                        + connection.getMetaData().getDatabaseProductVersion());
        return new Database(name, file, template, end);
    }

    @Override
    public void close() {
        end.run();
    }
}
