package io.ostraka.console.live;

import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A caller whose grants a test changes. */
final class TestCaller implements Caller {
    private final String name;

    /** Jobs that the caller may see; null if it may see all. */
    private final @Nullable Set<String> jobs;

    volatile boolean seesNamespace = true;

    private TestCaller(String name, @Nullable Set<String> jobs) {
        this.name = name;
        this.jobs = jobs;
    }

    static TestCaller ofAllJobs(String name) {
        return new TestCaller(name, null);
    }

    static TestCaller of(String name, String... jobs) {
        Set<String> grants = ConcurrentHashMap.newKeySet();
        grants.addAll(Set.of(jobs));
        return new TestCaller(name, grants);
    }

    void revoke(String job) {
        jobs.remove(job);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String origin() {
        return "test";
    }

    @Override
    public boolean has(Role role, String namespace, @Nullable String job) {
        return sees(namespace) && role == Role.VIEWER && (jobs == null || (job != null && jobs.contains(job)));
    }

    @Override
    public boolean sees(String namespace) {
        return seesNamespace;
    }
}
