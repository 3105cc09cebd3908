package io.ostraka.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

@Tag("spring")
class MinimalApplicationTest {
    private final ConcurrentHashMap<Integer, String> ended = new ConcurrentHashMap<>();
    private final CountDownLatch threeRuns = new CountDownLatch(3);

    @Test
    void eachItemRunsWithTheEmbeddedServer(@TempDir Path directory) throws Exception {
        RunInterceptor recorder = new RunInterceptor() {
            @Override
            public void completion(ShardingContext context, @Nullable Throwable failure) {
                if (ended.put(context.shardingItem(), String.valueOf(failure)) == null) {
                    threeRuns.countDown();
                }
            }
        };
        try (ConfigurableApplicationContext ignored = new SpringApplicationBuilder(MinimalApplication.class)
                .initializers(context -> context.getBeanFactory().registerSingleton("recorder", recorder))
                .properties("spring.main.banner-mode=off", "logging.level.root=warn")
                .run("--ostraka.zookeeper.embedded-directory=" + directory)) {
            threeRuns.await();
        }

        assertThat(ended).hasSize(3).containsOnlyKeys(0, 1, 2).allSatisfy((item, failure) -> assertThat(failure)
                .isEqualTo("null"));
    }
}
