package io.ostraka.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The program of {@link DevToolsTest}. Each run of its job prints a line. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class DevToolsApplication {
    /** A bean with a job that prints the class loader of its code, and whether the thread has the same one. */
    static class Reports {
        @ShardedJob(name = "report", shardingTotalCount = 1, fixedRateMillis = 200)
        void report() {
            ClassLoader loader = getClass().getClassLoader();
            System.out.println("run of " + System.identityHashCode(loader) + " "
                    + (Thread.currentThread().getContextClassLoader() == loader));
        }
    }

    @Bean
    Reports reports() {
        return new Reports();
    }

    /** Starts the application. */
    public static void main(String[] arguments) {
        SpringApplication.run(DevToolsApplication.class, arguments);
    }
}
