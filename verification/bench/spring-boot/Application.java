package io.ostraka.bench.spring;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * A web application without controllers. It prints the time since the start of its JVM at which it is ready and at which
 * it hosts all jobs, in milliseconds, and then its heap and its resident memory, in KiB.
 */
@SpringBootApplication
public class Application {
    /** Runs the application. The first argument is the number of jobs, or -1 if Ostraka is not on the class path. */
    public static void main(String[] arguments) throws Exception {
        int jobs = Integer.parseInt(arguments[0]);
        SpringApplication application = new SpringApplication(Application.class);
        application.addListeners(new First());
        if (jobs > 0) {
            application.addInitializers(new Jobs(jobs));
        }
        var context = application.run(arguments);
        if (jobs >= 0) {
            Jobs.awaitHosted(context, jobs);
        }
        print("hosted", sinceStart());
        System.gc();
        System.gc();
        print("heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024);
        print("resident", residentKib());
        print("end", 0);
    }

    /** Runs before the listener that hosts the jobs. */
    private static final class First implements ApplicationListener<ApplicationReadyEvent>, Ordered {
        @Override
        public void onApplicationEvent(ApplicationReadyEvent event) {
            print("ready", sinceStart());
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    private static void print(String name, long value) {
        System.out.println("bench " + name + " " + value);
    }

    private static long sinceStart() {
        return System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    }

    private static long residentKib() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        }
    }
}
