package io.ostraka.history.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.spool.Spool.Chunk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class SpoolTest {
    /** A few rows fill such a segment. */
    private static final long SMALL = 400;

    @TempDir
    Path directory;

    private Path own;

    @BeforeEach
    void chooseDirectory() {
        own = directory.resolve("own");
    }

    private static Row row(long number) {
        return new Measurement("job", Instant.EPOCH, "SUCCEEDED", number, null);
    }

    private static List<Long> numbers(Chunk chunk) {
        return chunk.rows().stream()
                .map(each -> ((Measurement) each.row()).count())
                .toList();
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    private static Spool filled(Path directory, long rows) throws IOException {
        Spool spool = Spool.create(directory, SMALL);
        for (long number = 1; number <= rows; number++) {
            spool.append(List.of(row(number)));
        }
        return spool;
    }

    private static Spool adopted(Path directory) throws IOException {
        Spool spool = Spool.adopt(directory);
        assertThat(spool).isNotNull();
        return spool;
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(own)) {
            return files.filter(each -> each.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void rowsAreReadInOrderAcrossSegments() throws IOException {
        try (Spool spool = filled(own, 100)) {
            assertThat(segments()).hasSizeGreaterThan(5);
            List<Long> read = new ArrayList<>();
            Position at = Position.START;
            for (Chunk chunk = spool.read(at, 7); !chunk.rows().isEmpty(); chunk = spool.read(at, 7)) {
                read.addAll(numbers(chunk));
                at = chunk.next();
            }
            assertThat(read).isEqualTo(upTo(100));
            assertThat(spool.read(at, 7).next()).isEqualTo(at);
        }
    }

    @Test
    void aSegmentIsDeletedOnlyAfterAllItsRowsWereDelivered() throws IOException {
        try (Spool spool = filled(own, 100)) {
            Path second = segments().get(1);
            Position afterFirst =
                    spool.read(new Position(2, 0), 1).rows().get(0).at();
            spool.delivered(afterFirst, 0);
            assertThat(segments()).startsWith(second);
            Chunk rest = spool.read(afterFirst, 1_000);
            spool.delivered(rest.next(), rest.rows().size());
            assertThat(segments()).as("the segment that is still written stays").hasSize(1);
            assertThat(spool.waiting()).isZero();
        }
    }

    @Test
    void rowsOfADeadProcessAreDeliveredByAnotherOne() throws IOException {
        filled(own, 30).close();
        try (Spool spool = adopted(own)) {
            assertThat(numbers(spool.read(Position.START, 1_000))).isEqualTo(upTo(30));
            assertThat(Spool.adopt(own)).as("another process").isNull();
        }
    }

    @Test
    void theDigitsOfTheDefaultLocaleLoseNoRows() throws IOException {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("fa-IR"));
            filled(own, 30).close();
            try (Spool spool = adopted(own)) {
                assertThat(numbers(spool.read(Position.START, 1_000))).isEqualTo(upTo(30));
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void theSpoolOfALivingProcessIsNotTaken() throws IOException {
        try (Spool living = filled(own, 1)) {
            assertThat(Spool.adopt(own)).isNull();
            assertThat(numbers(living.read(Position.START, 10))).isEqualTo(upTo(1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"./own", "link/own"})
    void theSpoolOfALivingProcessIsKnownByEachSpelling(String spelling) throws IOException {
        Files.createSymbolicLink(directory.resolve("link"), directory);
        try (Spool living = filled(own, 1)) {
            assertThat(Spool.adopt(directory.resolve(spelling))).isNull();
            assertThat(living.isOwn()).isTrue();
        }
    }

    @Test
    void theSpoolOfALivingProcessIsKnownToOtherClassLoaders() throws Exception {
        List<URL> classes = new ArrayList<>();
        for (Class<?> each : List.of(Spool.class, LoggerFactory.class, Nullable.class)) {
            classes.add(each.getProtectionDomain().getCodeSource().getLocation());
        }
        try (Spool living = filled(own, 1);
                var other = new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Method adopt = other.loadClass(Spool.class.getName()).getDeclaredMethod("adopt", Path.class);
            adopt.setAccessible(true);
            assertThat(adopt.invoke(null, own)).isNull();
            assertThat(living.isOwn()).isTrue();
        }
    }

    /** Code of the application may lock a file that has another path here, for example through a second mount. */
    @Test
    void aSpoolThatOtherCodeOfTheProcessHasLockedHoldsUpNoOther() throws IOException {
        filled(own, 1).close();
        try (FileChannel other = FileChannel.open(own.resolve("lock"), StandardOpenOption.WRITE);
                SpoolDirectory spools = new SpoolDirectory(directory, 1 << 20, SMALL)) {
            assertThat(other.tryLock()).isNotNull();
            assertThat(spools.spools()).containsExactly(spools.own());
        }
    }

    private void delete(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Returns a directory whose spool has four rows, three of which are not delivered. */
    private SpoolDirectory written() throws IOException {
        SpoolDirectory spools = new SpoolDirectory(directory.resolve("orders"), 1 << 20, 1 << 19);
        for (long number = 1; number <= 4; number++) {
            spools.append(List.of(row(number)));
        }
        Chunk first = spools.own().read(Position.START, 1);
        spools.own().delivered(first.next(), first.rows().size());
        return spools;
    }

    private Path own(SpoolDirectory spools) {
        return directory.resolve("orders").resolve(spools.own().source());
    }

    @ParameterizedTest
    @ValueSource(strings = {"own", "orders"})
    void rowsAfterTheLossOfTheDirectoryGoToANewOneAndTheLossIsCounted(String lost) throws IOException {
        try (SpoolDirectory spools = written()) {
            Path before = own(spools);
            delete(lost.equals("own") ? before : before.getParent());
            spools.append(List.of(row(5)));
            assertThat(numbers(spools.own().read(Position.START, 10))).containsExactly(5L);
            assertThat(own(spools)).exists().isNotEqualTo(before);
            assertThat(spools.lost()).isEqualTo(3);
            assertThat(spools.spools()).containsExactly(spools.own());
        }
    }

    @Test
    void anIdleSpoolNoticesTheLossOfItsDirectory() throws IOException {
        try (SpoolDirectory spools = written()) {
            delete(own(spools));
            assertThat(spools.spools()).containsExactly(spools.own());
            assertThat(spools.lost()).isEqualTo(3);
        }
    }

    @Test
    void rowsAfterTheReplacementOfTheDirectoryGoToANewOne() throws IOException {
        try (SpoolDirectory spools = written()) {
            Path before = own(spools);
            Files.move(before, directory.resolve("moved"));
            Files.createDirectory(before);
            Files.createFile(before.resolve("lock"));
            spools.append(List.of(row(5)));
            assertThat(numbers(spools.own().read(Position.START, 10))).containsExactly(5L);
            assertThat(spools.lost()).isEqualTo(3);
        }
    }

    @Test
    void rowsAfterTheLossOfTheLockGoToANewSpoolAndTheOthersAreAdopted() throws IOException {
        try (SpoolDirectory spools = written()) {
            String before = spools.own().source();
            Files.delete(own(spools).resolve("lock"));
            spools.append(List.of(row(5)));
            List<Spool> all = spools.spools();
            assertThat(all).hasSize(2).endsWith(spools.own());
            assertThat(all.get(0).source()).isEqualTo(before);
            assertThat(numbers(all.get(0).read(Position.START, 10))).isEqualTo(upTo(4));
            assertThat(numbers(spools.own().read(Position.START, 10))).containsExactly(5L);
            assertThat(spools.lost()).isZero();
        }
    }

    @Test
    void rowsAfterTheLossOfTheFileGoToANewSpool() throws IOException {
        try (SpoolDirectory spools = written()) {
            Files.delete(own(spools).resolve("00000001.log"));
            spools.append(List.of(row(5)));
            assertThat(numbers(spools.own().read(Position.START, 10))).containsExactly(5L);
            assertThat(spools.lost()).isEqualTo(3);
        }
    }

    @Test
    void anEarlierFileThatWasDeletedIsReportedWithItsRows() throws IOException {
        try (Spool spool = filled(own, 20)) {
            Chunk first = spool.read(Position.START, 2);
            spool.delivered(first.next(), 2);
            int perSegment = spool.read(Position.START, 100).rows().stream()
                    .filter(each -> each.at().segment() == 1)
                    .toList()
                    .size();
            Files.delete(segments().get(0));
            Chunk rest = spool.read(first.next(), 100);
            assertThat(numbers(rest)).startsWith(perSegment + 1L).endsWith(20L);
            assertThat(rest.unreadable()).singleElement().satisfies(part -> {
                assertThat(part.why()).contains("00000001.log is missing");
                assertThat(part.rows()).isEqualTo(perSegment - 2);
            });
        }
    }

    @Test
    void aNewSpoolThatCannotBeCreatedIsTriedAgain() throws IOException {
        try (SpoolDirectory spools = written()) {
            delete(directory.resolve("orders"));
            Files.createFile(directory.resolve("orders"));
            assertThatIOException().isThrownBy(() -> spools.append(List.of(row(5))));
            Files.delete(directory.resolve("orders"));
            spools.append(List.of(row(5)));
            assertThat(numbers(spools.own().read(Position.START, 10))).containsExactly(5L);
            assertThat(spools.lost()).isEqualTo(3);
        }
    }

    @Test
    void anAdoptedSpoolThatCannotBeShortenedCostsNoOwnRows() throws IOException {
        filled(own, 50).close();
        try (SpoolDirectory spools = new SpoolDirectory(directory, 4 * SMALL, SMALL)) {
            assertThat(spools.spools()).hasSize(2);
            for (Path each : segments()) { // a directory that is not empty cannot be deleted like a file
                Files.delete(each);
                Files.createDirectories(each.resolve("obstacle"));
            }
            for (long number = 1; number <= 5; number++) {
                spools.append(List.of(row(number)));
            }
            assertThat(numbers(spools.own().read(Position.START, 10))).isEqualTo(upTo(5));
        }
    }

    @Test
    void otherUsersCannotReadTheRows() throws IOException {
        filled(own, 1).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
    }

    @Test
    void anEmptySpoolOfADeadProcessIsDeleted() throws IOException {
        filled(own, 0).close();
        assertThat(Spool.adopt(own)).isNull();
        assertThat(own).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 40})
    void anIncompleteLastRowIsIgnored(int missing) throws IOException {
        filled(own, 3).close();
        shorten(segments().get(segments().size() - 1), missing);
        try (Spool spool = adopted(own)) {
            Chunk chunk = spool.read(Position.START, 10);
            assertThat(numbers(chunk)).isEqualTo(upTo(2));
            assertThat(chunk.unreadable()).isEmpty();
            assertThat(spool.read(chunk.next(), 10).next()).isEqualTo(chunk.next());
        }
    }

    @Test
    void rowsThatAreCutAtAnyByteLeaveTheFirstOfThem() throws IOException {
        try (Spool spool = Spool.create(own, 1 << 20)) {
            spool.append(List.of(row(1), row(2), row(3)));
        }
        Path file = segments().get(0);
        byte[] whole = Files.readAllBytes(file);
        long most = 0;
        for (int length = 0; length <= whole.length; length++) {
            Files.createDirectories(own);
            Files.write(file, Arrays.copyOf(whole, length));
            Spool spool = Spool.adopt(own);
            if (spool != null) {
                Chunk chunk = spool.read(Position.START, 10);
                assertThat(chunk.unreadable()).isEmpty();
                assertThat(numbers(chunk)).isEqualTo(upTo(chunk.rows().size())).hasSizeGreaterThanOrEqualTo((int) most);
                most = chunk.rows().size();
                spool.close();
            }
        }
        assertThat(most).isEqualTo(3);
    }

    @Test
    void rowsForWhichASegmentHasNoRoomBeginTheNextOne() throws IOException {
        try (Spool spool = Spool.create(own, SMALL)) {
            for (long number = 1; number < 100; number += 3) {
                spool.append(List.of(row(number), row(number + 1), row(number + 2)));
            }
            assertThat(segments()).hasSizeGreaterThan(5).allSatisfy(each -> assertThat(Files.size(each))
                    .isLessThanOrEqualTo(SMALL));
        }
    }

    @Test
    void zerosAtTheEndAreIgnored() throws IOException {
        filled(own, 3).close();
        Path last = segments().get(segments().size() - 1);
        try (RandomAccessFile file = new RandomAccessFile(last.toFile(), "rw")) {
            file.setLength(file.length() + 5_000);
        }
        try (Spool spool = adopted(own)) {
            Chunk chunk = spool.read(Position.START, 10);
            assertThat(numbers(chunk)).isEqualTo(upTo(3));
            assertThat(chunk.unreadable()).isEmpty();
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            int before = bytes.read();
            bytes.seek(at);
            bytes.write(before ^ 0x10); // in a length, this adds at least 4,096 bytes if at is its third byte
        }
    }

    private static void shorten(Path file, long bytes) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(open.length() - bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aRowWithAWrongLengthIsReportedAndNotTakenForTheEnd(long row) throws IOException {
        filled(own, 3).close();
        long at = 0;
        try (Spool spool = adopted(own)) {
            at = spool.read(Position.START, 10).rows().get((int) row - 1).at().offset();
        }
        flip(segments().get(0), at + 2);
        try (Spool spool = adopted(own)) {
            Chunk chunk = spool.read(Position.START, 10);
            assertThat(numbers(chunk)).isEqualTo(upTo(row - 1));
            assertThat(chunk.unreadable()).singleElement().satisfies(part -> {
                assertThat(part.why()).contains("length");
                assertThat(part.rows()).isEqualTo(1);
            });
            assertThat(spool.read(chunk.next(), 10).unreadable()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 50, 399})
    void aSegmentThatEndsEarlyIsReportedUnlessItIsTheLastOne(long missing) throws IOException {
        filled(own, 20).close();
        Path first = segments().get(0);
        shorten(first, Math.min(missing, Files.size(first) - 1));
        try (Spool spool = adopted(own)) {
            Chunk chunk = spool.read(Position.START, 100);
            assertThat(numbers(chunk)).endsWith(20L).hasSizeLessThan(20);
            assertThat(chunk.unreadable()).singleElement().satisfies(part -> {
                assertThat(part.why()).contains(first.getFileName().toString(), "ends before");
                assertThat(part.rows()).isEqualTo(1);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 50, 150})
    void aFileOfALivingProcessThatIsShortenedIsReportedWithItsRows(long missing) throws IOException {
        try (Spool spool = filled(own, 3)) {
            shorten(segments().get(0), missing);
            Chunk chunk = spool.read(Position.START, 10);
            assertThat(numbers(chunk)).hasSizeLessThan(3);
            assertThat(chunk.unreadable()).singleElement().satisfies(part -> {
                assertThat(part.why()).contains("ends before");
                assertThat(part.rows()).isEqualTo(3 - chunk.rows().size());
            });
            spool.delivered(chunk.next(), chunk.rows().size());
            assertThat(spool.read(chunk.next(), 10).size()).isZero();
        }
    }

    /** A directory can be opened like a file, and fails when it is read. */
    @Test
    void aSegmentThatTheDiskCannotReadIsReportedAndTheNextOneIsRead() throws IOException {
        try (Spool spool = filled(own, 20)) {
            Path first = segments().get(0);
            Files.delete(first);
            Files.createDirectory(first);
            Chunk chunk = spool.read(Position.START, 100);
            assertThat(numbers(chunk)).endsWith(20L).hasSizeBetween(10, 19);
            assertThat(chunk.unreadable()).singleElement().satisfies(part -> {
                assertThat(part.why()).contains(first.getFileName().toString(), "cannot be read");
                assertThat(part.rows()).isEqualTo(20 - chunk.rows().size());
            });
        }
    }

    @Test
    void aSegmentThatCannotBeDeletedHoldsUpNoOther() throws IOException {
        try (Spool spool = filled(own, 20)) {
            List<Path> files = segments();
            Files.delete(files.get(0));
            Files.createDirectories(files.get(0).resolve("obstacle"));
            spool.delivered(spool.read(Position.START, 100).next(), 20);
            assertThat(files.get(0)).exists();
            assertThat(files.get(1)).doesNotExist();
        }
    }

    @Test
    void aDamagedSegmentIsReportedAndKeptAndTheNextOneIsRead() throws IOException {
        filled(own, 20).close();
        Path first = segments().get(0);
        try (RandomAccessFile file = new RandomAccessFile(first.toFile(), "rw")) {
            file.seek(file.length() - 3);
            file.write('#');
        }
        try (Spool spool = adopted(own)) {
            Chunk chunk = spool.read(Position.START, 100);
            assertThat(numbers(chunk)).startsWith(1L).endsWith(20L).hasSize(19);
            assertThat(chunk.unreadable()).singleElement().satisfies(part -> {
                assertThat(part.why()).contains("checksum");
                assertThat(part.entry()).isNull();
            });
            spool.delivered(chunk.next(), chunk.rows().size());
            spool.delete();
        }
        assertThat(own.resolve(first.getFileName() + ".damaged")).exists();
    }

    @Test
    void aRowOfALaterVersionIsRejectedAndTheOthersAreRead() throws IOException {
        Spool.create(own, SMALL).close();
        try (Segment segment = Segment.create(own.resolve("00000001.log"))) {
            segment.append(List.of(RowCodec.encode(row(1))));
            segment.append(List.of(new byte[] {99, '{', '}'}));
            segment.append(List.of(new byte[] {5, '{', '}'}));
            segment.append(List.of(new byte[] {3, '{', '}'})); // its constructor fails
            segment.append(List.of(RowCodec.encode(row(2))));
        }
        try (Spool spool = adopted(own)) {
            Chunk chunk = spool.read(Position.START, 10);
            assertThat(numbers(chunk)).isEqualTo(upTo(2));
            assertThat(chunk.unreadable()).hasSize(3).allSatisfy(part -> assertThat(part.entry())
                    .endsWith('}'));
        }
    }

    @Test
    void rowsThatAreNotReadableCountTowardsTheLargestChunk() throws IOException {
        Spool.create(own, SMALL).close();
        try (Segment segment = Segment.create(own.resolve("00000001.log"))) {
            for (int i = 1; i <= 3; i++) {
                segment.append(List.of(new byte[] {99, '{', '}'}));
                segment.append(List.of(RowCodec.encode(row(i))));
            }
        }
        try (Spool spool = adopted(own)) {
            Chunk first = spool.read(Position.START, 4);
            assertThat(numbers(first)).containsExactly(1L, 2L);
            assertThat(first.unreadable()).hasSize(2);
            Chunk second = spool.read(first.next(), 4);
            assertThat(numbers(second)).containsExactly(3L);
            assertThat(second.unreadable())
                    .singleElement()
                    .extracting(Spool.Unreadable::at)
                    .isEqualTo(first.next());
        }
    }

    @Test
    void aReasonOfALaterVersionIsKept() throws IOException {
        Row row = new Skipped(
                "job",
                "0",
                1,
                Instant.EPOCH,
                null,
                Instant.EPOCH,
                Instant.EPOCH,
                1,
                "ECLIPSED",
                Instant.EPOCH,
                Instant.EPOCH,
                "i",
                Instant.EPOCH,
                false);
        assertThat(RowCodec.decode(RowCodec.encode(row))).isEqualTo(row);
    }

    @Test
    void aClosedDirectoryTakesNoSpoolsAndDeletesNoFiles() throws IOException {
        SpoolDirectory spools = new SpoolDirectory(directory, 1 << 20, SMALL);
        spools.append(List.of(row(1)));
        spools.close();
        filled(own, 1).close();
        assertThat(spools.spools()).isEmpty();
        spools.own().delivered(new Position(9, 0), 1);
        try (SpoolDirectory next = new SpoolDirectory(directory, 1 << 20, SMALL)) {
            assertThat(next.spools())
                    .filteredOn(spool -> spool != next.own())
                    .allSatisfy(spool ->
                            assertThat(numbers(spool.read(Position.START, 10))).containsExactly(1L))
                    .hasSize(2);
        }
    }

    /** An interrupt during a write closes the file. */
    /** The close decides whether it deletes the spool, so it must know the last row. */
    @Test
    void aDirectoryThatIsBeingClosedTakesNoRows() throws Exception {
        SpoolDirectory spools = new SpoolDirectory(directory, 1 << 20, SMALL);
        spools.begin();
        CompletableFuture<Void> closed;
        synchronized (spools.own()) { // the close waits for it
            closed = CompletableFuture.runAsync(() -> {
                try {
                    spools.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            while (!spools.present().isEmpty()) {
                Thread.onSpinWait();
            }
            assertThatIOException().isThrownBy(() -> spools.append(List.of(row(1))));
        }
        closed.get();
    }

    @Test
    void rowsAreStoredAfterAWriteInAnInterruptedThread() throws IOException {
        try (Spool spool = Spool.create(own, SMALL)) {
            spool.append(List.of(row(1)));
            Thread.currentThread().interrupt();
            assertThatIOException().isThrownBy(() -> spool.append(List.of(row(2))));
            assertThat(Thread.interrupted()).isTrue();
            spool.append(List.of(row(2)));
            spool.append(List.of(row(3)));
            assertThat(numbers(spool.read(Position.START, 10))).isEqualTo(upTo(3));
        }
    }

    @Test
    void aFileThatCannotBeCreatedHoldsUpOnlyOneRow() throws IOException {
        try (Spool spool = Spool.create(own, SMALL)) {
            Path obstacle = Files.createFile(own.resolve("00000001.log"));
            assertThatIOException().isThrownBy(() -> spool.append(List.of(row(1))));
            spool.append(List.of(row(1)));
            assertThat(numbers(spool.read(Position.START, 10))).isEqualTo(upTo(1));
            assertThat(obstacle).exists();
        }
    }

    @Test
    void aSpoolThatCannotBeReadDoesNotHoldUpTheOthers() throws IOException {
        filled(own, 3).close();
        Files.createDirectories(directory.resolve("unusable/lock"));
        try (SpoolDirectory spools = new SpoolDirectory(directory, 1 << 20, SMALL)) {
            assertThat(spools.spools())
                    .extracting(Spool::source)
                    .containsExactly("own", spools.own().source());
        }
    }

    @Test
    void theOldestSegmentsAreDroppedAndCountedAtTheLimit() throws IOException {
        try (SpoolDirectory spools = new SpoolDirectory(directory, 4 * SMALL, SMALL)) {
            for (long number = 1; number <= 200; number++) {
                spools.append(List.of(row(number)));
            }
            List<Long> left = numbers(spools.own().read(Position.START, 1_000));
            assertThat(left).isNotEmpty().endsWith(200L);
            assertThat(spools.lost()).isEqualTo(left.get(0) - 1);
            assertThat(spools.waiting()).isLessThanOrEqualTo(4 * SMALL);
            spools.own().delivered(spools.own().read(Position.START, 1_000).next(), left.size());
        }
    }

    @Test
    void rowsThatWereDeliveredDoNotCountAsDropped() throws IOException {
        try (SpoolDirectory spools = new SpoolDirectory(directory, 4 * SMALL, SMALL)) {
            for (long number = 1; number <= 200; number++) {
                spools.append(List.of(row(number)));
                Chunk chunk = spools.own().read(Position.START, 1_000);
                spools.own().delivered(chunk.next(), chunk.rows().size());
            }
            assertThat(spools.lost()).isZero();
        }
    }

    @Test
    void anotherProcessContinuesWithWhatAClosedOneLeaves() throws IOException {
        Path shared = directory.resolve("shared");
        String before;
        try (SpoolDirectory first = SpoolDirectory.open(shared, "orders/eu", 1 << 20)) {
            first.append(List.of(row(1)));
            before = first.own().source();
        }
        try (SpoolDirectory other = SpoolDirectory.open(shared, "orders/us", 1 << 20);
                SpoolDirectory second = SpoolDirectory.open(shared, "orders/eu", 1 << 20)) {
            assertThat(other.spools()).containsExactly(other.own());
            assertThat(second.spools())
                    .extracting(Spool::source)
                    .containsExactly(before, second.own().source());
            second.finished(second.spools().get(0));
            assertThat(second.spools()).containsExactly(second.own());
        }
    }

    /** Compares random operations with a list. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesLikeAList(long seed) throws IOException {
        var random = new Random(seed);
        long appended = 0;
        long delivered = 0;
        Position at = Position.START;
        Spool spool = Spool.create(own, SMALL);
        boolean writable = true;
        for (int step = 0; step < 2_000; step++) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3, 4 -> {
                    if (writable) {
                        long last = appended + 1 + random.nextInt(3);
                        spool.append(LongStream.rangeClosed(appended + 1, last)
                                .mapToObj(SpoolTest::row)
                                .toList());
                        appended = last;
                    }
                }
                case 5, 6, 7 -> {
                    Chunk chunk = spool.read(at, 1 + random.nextInt(5));
                    long before = delivered;
                    long expected = Math.min(appended - delivered, chunk.rows().size());
                    assertThat(numbers(chunk))
                            .isEqualTo(LongStream.rangeClosed(before + 1, before + expected)
                                    .boxed()
                                    .toList());
                    assertThat(chunk.rows().isEmpty()).isEqualTo(delivered == appended);
                    if (random.nextBoolean()) {
                        delivered += chunk.rows().size();
                        at = chunk.next();
                        spool.delivered(at, chunk.rows().size());
                    }
                }
                case 8 -> assertThat(spool.waiting() == 0).isEqualTo(delivered == appended);
                default -> {
                    if (random.nextInt(100) == 0 && delivered < appended) {
                        spool.close();
                        spool = adopted(own);
                        spool.delivered(at, 0);
                        writable = false;
                    }
                }
            }
        }
        spool.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void bytesOfAnyKindAreRead(long seed) throws IOException {
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            Files.createDirectories(own);
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            try (Segment segment = Segment.create(own.resolve("00000001.log"))) {
                for (int i = random.nextInt(3); i > 0; i--) {
                    segment.append(List.of(RowCodec.encode(row(i))));
                }
            }
            Path file = segments().get(0);
            byte[] content = Files.readAllBytes(file);
            byte[] all = random.nextBoolean() ? bytes : concat(content, bytes);
            if (random.nextBoolean() && all.length > 0) {
                all[random.nextInt(all.length)] ^= 1 << random.nextInt(8);
            }
            Files.write(file, all);
            Spool spool = Spool.adopt(own);
            if (spool != null) {
                Chunk chunk = spool.read(Position.START, 10);
                assertThat(chunk.rows()).hasSizeLessThanOrEqualTo(2);
                assertThat(spool.read(chunk.next(), 10).rows()).isEmpty();
                spool.delete();
            }
            try (Stream<Path> left = Files.exists(own) ? Files.list(own) : Stream.empty()) {
                for (Path each : left.toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] both = new byte[one.length + other.length];
        System.arraycopy(one, 0, both, 0, one.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }
}
