package io.ostraka.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfigurationException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FireStopTest {
    private static final FireStop.Request REQUEST = new FireStop.Request("alice", "wrong data", Instant.EPOCH);

    @Test
    void nameOfItsNodeDescribesTheStop() {
        FireStop one = new FireStop("job", "host@1@2", "-5.7", REQUEST);
        FireStop all = new FireStop("job", null, "run-1", REQUEST);

        assertThat(one.name()).isEqualTo("job~host@1@2~-5.7");
        assertThat(all.name()).isEqualTo("job~*~run-1");
        assertThat(FireStop.named(one.name())).contains(one.with(null));
        assertThat(FireStop.named(all.name())).contains(all.with(null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "evict~host@1@2", "job~3", "job~3~1.1~x", "~3~1.1", "job~~1.1", "job~3~", "job~**~1.1"})
    void otherNamesAreNoStops(String name) {
        assertThat(FireStop.named(name)).isEmpty();
    }

    @Test
    void invalidNamesAreRefused() {
        assertThatThrownBy(() -> new FireStop("a~b", null, "1.1", null)).isInstanceOf(JobConfigurationException.class);
        assertThatThrownBy(() -> new FireStop("job", "*", "1.1", null)).isInstanceOf(JobConfigurationException.class);
        assertThatThrownBy(() -> new FireStop("job", null, "a~b", null)).hasMessageContaining("a~b");
        assertThatThrownBy(() -> new FireStop.Request("a\nb", "", Instant.EPOCH))
                .hasMessageContaining("actor");
    }

    @Test
    void textNamesActorAndReason() {
        assertThat(new FireStop("job", null, "1.1", REQUEST).text()).isEqualTo("stopped by alice: wrong data");
        assertThat(new FireStop("job", null, "1.1", null).text()).isEqualTo("stopped by an operator");
    }
}
