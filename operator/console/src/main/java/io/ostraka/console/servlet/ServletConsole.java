package io.ostraka.console.servlet;

import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.CommandAudit;
import io.ostraka.console.Namespaces;
import io.ostraka.console.live.Bulkhead;
import io.ostraka.console.live.LiveFeeds;
import io.ostraka.console.live.SharedViews;
import io.ostraka.console.security.Hosts;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.SystemClock;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The operations of an application's own namespace, as a servlet behind the application's own security. The console has
 * two daemon threads; one of them runs only while a client follows the namespace. Thread-safe.
 */
public final class ServletConsole implements AutoCloseable {
    /** Largest number of requests that run at the same time, so that they leave the application's threads alone. */
    private static final int PLACES = 16;

    private final LiveFeeds live;
    private final ConsoleServlet servlet;

    /**
     * Creates the console. It accepts every host name; but from a caller with the origin {@code anonymous}, such as
     * {@link Callers#anonymousViewer} returns, only addresses and {@code localhost}.
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
        this(namespace, operations, masksParameters, callers, audit, List.of());
    }

    /**
     * Creates the console for a list of host names.
     *
     * @param namespace name of the namespace
     * @param operations operations of the namespace; all callers share their views
     * @param masksParameters true to hide the values of parameters
     * @param callers finds the callers that the application has authenticated
     * @param audit stores the commands of the callers, for example {@code history::audited}
     * @param hosts host names, without ports, under which people reach the application. The console refuses all others
     *     with the status 421, except addresses and {@code localhost}. Empty for the hosts of the other constructor
     * @throws IllegalArgumentException if a host is not accepted
     */
    public ServletConsole(
            String namespace,
            Operations operations,
            boolean masksParameters,
            CallerResolver callers,
            CommandAudit audit,
            Collection<String> hosts) {
        Hosts named = Hosts.ofApplication(hosts);
        Clock clock = new SystemClock();
        SharedViews views = new SharedViews(operations, clock);
        Operations limited = Bulkhead.around(namespace, views, PLACES);
        live = new LiveFeeds(name -> own(namespace, name, views), 1, clock);
        Api api = new Api(
                new Namespaces() {
                    @Override
                    public List<String> names() {
                        return List.of(namespace);
                    }

                    @Override
                    public Optional<Operations> operations(String name) {
                        return own(namespace, name, limited);
                    }

                    @Override
                    public Optional<Operations> audited(
                            String name, Caller caller, String client, @Nullable String job) {
                        return operations(name).map(each -> audit.audited(each, caller, client, name, job));
                    }
                },
                masksParameters);
        servlet = new ConsoleServlet(new ApplicationConsole(
                api, live, Callers.checkingHost(callers, named), hosts.isEmpty() ? null : named, clock));
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
