package io.ostraka.history.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that counts its reads and writes, and on a disk that may become full. */
final class CountingChannel extends FileChannel {
    private final FileChannel file;
    private int reads;
    private int writes;
    private long room = Long.MAX_VALUE;

    private CountingChannel(FileChannel file) {
        this.file = file;
    }

    static CountingChannel open(Path file) throws IOException {
        return new CountingChannel(FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /** Lets writes fail after a number of bytes. */
    void failAfter(long bytes) {
        room = bytes;
    }

    int reads() {
        return reads;
    }

    int writes() {
        return writes;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        reads++;
        return file.read(into, position);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        writes++;
        if (room == 0) {
            throw new IOException("No space left on device");
        }
        ByteBuffer part = from.slice(from.position(), (int) Math.min(room, from.remaining()));
        int written = file.write(part, position);
        from.position(from.position() + written);
        room -= written;
        return written;
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        file.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        file.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }

    @Override
    public int read(ByteBuffer into) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }
}
