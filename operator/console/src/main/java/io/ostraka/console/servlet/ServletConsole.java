package io.ostraka.console.servlet;

import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.CommandAudit;
import io.ostraka.console.Namespaces;
import io.ostraka.console.live.LiveFeeds;
import io.ostraka.console.live.SharedViews;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.SystemClock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The operations of an application's own namespace, as a servlet behind the application's own security. The console has
 * two daemon threads; one of them runs only while a client follows the namespace. Thread-safe.
 */
public final class ServletConsole implements AutoCloseable {
    private final LiveFeeds live;
    private final ConsoleServlet servlet;

    /**
     * Creates the console.
     *
     * @param namespace name of the namespace
     * @param operations operations of the namespace; all callers share their views
     * @param masksParameters true to hide the values of parameters
     * @param callers finds the callers that the application has authenticated
     * @param audit stores the commands of the callers, for example {@code history::audited}
     */
    public ServletConsole(
            String namespace,
            Operations operations,
            boolean masksParameters,
            CallerResolver callers,
            CommandAudit audit) {
        Clock clock = new SystemClock();
        SharedViews views = new SharedViews(operations, clock);
        live = new LiveFeeds(name -> own(namespace, name, views), 1, clock);
        Api api = new Api(
                new Namespaces() {
                    @Override
                    public List<String> names() {
                        return List.of(namespace);
                    }

                    @Override
                    public Optional<Operations> operations(String name) {
                        return own(namespace, name, views);
                    }

                    @Override
                    public Optional<Operations> audited(
                            String name, Caller caller, String client, @Nullable String job) {
                        return operations(name).map(each -> audit.audited(each, caller, client, name, job));
                    }
                },
                masksParameters);
        servlet = new ConsoleServlet(new ApplicationConsole(api, live, callers, clock));
    }

    private static <T> Optional<T> own(String namespace, String asked, T views) {
        return asked.equals(namespace) ? Optional.of(views) : Optional.empty();
    }

    /** Returns the servlet. Map it to a path with a wildcard, such as {@code /ostraka/*}, with asynchronous support. */
    public ConsoleServlet servlet() {
        return servlet;
    }

    /** Ends all streams of events and stops the threads. The operations stay open. */
    @Override
    public void close() {
        live.close();
    }
}
