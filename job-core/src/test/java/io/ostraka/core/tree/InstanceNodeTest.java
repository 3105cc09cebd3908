package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobInstance;
import io.ostraka.core.model.InstanceInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Tests the node of an instance that hosts many jobs. */
class InstanceNodeTest {
    private static InstanceInfo hosting(int jobs, int nameLength) {
        Set<String> names = IntStream.range(0, jobs)
                .mapToObj(i -> String.format("%0" + nameLength + "d", i))
                .collect(Collectors.toSet());
        return new InstanceInfo(
                new JobInstance("host@1@2", "host", "", Map.of(), 1),
                1,
                InstanceInfo.State.WORKING,
                false,
                names,
                List.of(),
                Map.of());
    }

    private static Node node(byte[] data) {
        return new Node("/instances/host@1@2", data, new Node.Stat(0, 1, 1, Instant.EPOCH, Instant.EPOCH, 2));
    }

    private static void comesBack(InstanceInfo instance, byte[] data) {
        assertThat(Codec.decode(node(data), InstanceInfo.class).value()).isEqualTo(instance);
    }

    @Test
    void thousandShortNamesAreWrittenAsPlainText() {
        InstanceInfo instance = hosting(1000, 30);
        byte[] data = Codec.encode(instance);

        assertThat(new String(data, StandardCharsets.UTF_8)).contains("\"000000000000000000000000000999\"");
        comesBack(instance, data);
    }

    @Test
    void compressesNamesOfMoreThan64Kilobytes() {
        InstanceInfo instance = hosting(1000, 128);
        byte[] data = Codec.encode(instance);

        assertThat(new String(data, StandardCharsets.UTF_8))
                .contains("\"jobs\":[]")
                .contains("jobsGzip");
        assertThat(data).hasSizeLessThan(64 << 10);
        comesBack(instance, data);
    }

    @Test
    void twentyThousandLongNamesFitOneNode() {
        InstanceInfo instance = hosting(20_000, 128);
        byte[] data = Codec.encode(instance);

        assertThat(data).hasSizeLessThan(500_000);
        comesBack(instance, data);
    }

    @Test
    void rejectsNamesThatUnpackToTensOfMegabytes() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(" ".repeat(20 << 20).getBytes(StandardCharsets.UTF_8));
        }
        String bomb = Base64.getEncoder().encodeToString(packed.toByteArray());
        byte[] data = ("{\"format\":4,\"jobsGzip\":\"" + bomb + "\"}").getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> Codec.decode(node(data), InstanceInfo.class))
                .hasMessageContaining("jobsGzip unpacks to more than");
    }
}
