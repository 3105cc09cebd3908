package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.HttpJob;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ScriptJob;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the selection of the executor for a job. */
class JobTypesTest {
    private static final JobConfiguration JOB =
            JobConfiguration.newBuilder("typed", 1).build();

    /** A type defined by a user. */
    private record Statement(String sql) implements Job {}

    private interface Report extends SimpleJob {}

    /** Records the jobs it runs. */
    private static class Recording<J extends Job> implements JobItemExecutor<J> {
        final List<J> run = new ArrayList<>();
        private final Class<J> type;

        Recording(Class<J> type) {
            this.type = type;
        }

        @Override
        public Class<J> type() {
            return type;
        }

        @Override
        public void execute(J job, ShardingContext context) {
            run.add(job);
        }
    }

    private static void run(Job job, JobItemExecutor<?>... executors) throws Exception {
        new JobTypes(List.of(executors)).executor(job, JOB).execute(job, TestRun.of(JOB));
    }

    @Test
    void customExecutorRunsItsJobType() throws Exception {
        Recording<Statement> statements = new Recording<>(Statement.class);
        run(new Statement("select 1"), statements);

        assertThat(statements.run).containsExactly(new Statement("select 1"));
    }

    @Test
    void mostSpecificTypeWins() throws Exception {
        Recording<Report> reports = new Recording<>(Report.class);
        Report report = context -> {
            throw new AssertionError("run as a simple job");
        };
        run(report, new Recording<>(Job.class), reports);

        assertThat(reports.run).containsExactly(report);
    }

    @Test
    void refusesUnknownTypeAndNamesSupportedOnes() {
        assertThatThrownBy(() -> run(new Statement(""), new Recording<>(Report.class)))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll(
                        "typed", Statement.class.getName(), "SimpleJob", "DataflowJob", Report.class.getName());
    }

    @Test
    void refusesScriptsAndRequestsWithoutTheirModuleAndNamesItsArtifact() {
        for (Job job : List.of(
                ScriptJob.command("true").build(),
                HttpJob.request("GET", URI.create("https://billing.test/")).build())) {
            assertThatThrownBy(() -> run(job))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessage("job 'typed': job is '" + job + "'; accepted: a script or a request only with the"
                            + " artifact io.ostraka:ostraka-job-types on the class path");
        }
    }

    @Test
    void refusesTwoExecutorsOfOneType() {
        class Other extends Recording<Statement> {
            Other() {
                super(Statement.class);
            }
        }

        assertThatThrownBy(() -> run(new Statement(""), new Recording<>(Statement.class), new Other()))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("typed", Recording.class.getName(), Other.class.getName());
    }

    @Test
    void refusesJobOfTwoUnrelatedTypes() {
        class Both implements SimpleJob, DataflowJob<String> {
            @Override
            public void execute(ShardingContext context) {}

            @Override
            public List<String> fetchData(ShardingContext context) {
                return List.of();
            }

            @Override
            public void processData(ShardingContext context, List<String> data) {}
        }

        assertThatThrownBy(() -> run(new Both()))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("SimpleJob", "DataflowJob");
    }

    @Test
    void executorMayRefuseJobAtRegistration() {
        Recording<Statement> strict = new Recording<>(Statement.class) {
            @Override
            public void validate(Statement job, JobConfiguration configuration) {
                throw new JobConfigurationException(configuration.jobName(), "sql", job.sql(), "a statement");
            }
        };

        assertThatThrownBy(() -> new JobTypes(List.of(strict)).executor(new Statement("?!"), JOB))
                .hasMessage("job 'typed': sql is '?!'; accepted: a statement");
    }

    @Test
    void dataflowJobContinuesOnlyInStreamingMode() throws Exception {
        AtomicInteger batches = new AtomicInteger();
        DataflowJob<Integer> job = new DataflowJob<>() {
            @Override
            public List<Integer> fetchData(ShardingContext context) {
                return batches.get() < 3 ? List.of(batches.incrementAndGet()) : List.of();
            }

            @Override
            public void processData(ShardingContext context, List<Integer> data) {}
        };
        JobTypes types = new JobTypes(List.of());
        types.executor(job, JOB).execute(job, TestRun.of(JOB));
        assertThat(batches).hasValue(1);

        types.executor(job, JOB)
                .execute(job, TestRun.of(JOB.toBuilder().streaming(true).build()));
        assertThat(batches).hasValue(3);
    }
}
