package io.ostraka.history.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentTest {
    @TempDir
    Path directory;

    private static List<byte[]> entries(int count, int length) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    byte[] entry = new byte[length];
                    entry[0] = (byte) i;
                    return entry;
                })
                .toList();
    }

    private Path file(List<byte[]> entries) throws IOException {
        Path file = directory.resolve("00000001.log");
        try (Segment segment = Segment.create(file)) {
            segment.append(entries);
        }
        return file;
    }

    private static List<ByteBuffer> comparable(List<byte[]> entries) {
        return entries.stream().map(ByteBuffer::wrap).toList();
    }

    private static List<ByteBuffer> read(Segment segment, long end) throws IOException {
        List<ByteBuffer> entries = new ArrayList<>();
        long offset = 0;
        while (segment.read(offset, end) instanceof Segment.Read.Entry entry) {
            entries.add(ByteBuffer.wrap(entry.bytes()));
            offset = entry.next();
        }
        return entries;
    }

    @Test
    void entriesAreAppendedWithOneWrite() throws IOException {
        Path file = file(entries(1, 10));
        try (CountingChannel channel = CountingChannel.open(file);
                Segment segment = new Segment(channel, channel.size())) {
            segment.append(entries(100, 10));
            assertThat(channel.writes()).isEqualTo(1);
            assertThat(read(segment, segment.size())).hasSize(101);
        }
    }

    @Test
    void entriesOfAWriteThatFailsAreNotStored() throws IOException {
        Path file = file(entries(1, 10));
        try (CountingChannel channel = CountingChannel.open(file);
                Segment segment = new Segment(channel, channel.size())) {
            long before = segment.size();
            channel.failAfter(5 * 18 + 3); // in the middle of the sixth entry
            assertThatIOException().isThrownBy(() -> segment.append(entries(100, 10)));
            assertThat(segment.size()).isEqualTo(before);
            assertThat(Files.size(file)).isEqualTo(before);
        }
    }

    @Test
    void entriesAreReadManyAtATime() throws IOException {
        Path file = file(entries(1_000, 100));
        try (CountingChannel channel = CountingChannel.open(file);
                Segment segment = new Segment(channel, channel.size())) {
            assertThat(read(segment, segment.size())).isEqualTo(comparable(entries(1_000, 100)));
            assertThat(channel.reads()).isEqualTo(2);
        }
    }

    @Test
    void entriesThatAreLargerThanAReadAreWhole() throws IOException {
        Path file = file(entries(3, 200_000));
        try (Segment segment = Segment.open(file)) {
            assertThat(read(segment, segment.size())).isEqualTo(comparable(entries(3, 200_000)));
        }
    }

    /** Bytes after this end may belong to a write under way. */
    @Test
    void entriesAfterTheKnownEndAreNotRead() throws IOException {
        Path file = file(entries(3, 10));
        try (Segment segment = Segment.open(file)) {
            assertThat(read(segment, segment.size() - 1)).hasSize(2);
            assertThat(read(segment, segment.size())).hasSize(3);
        }
    }
}
