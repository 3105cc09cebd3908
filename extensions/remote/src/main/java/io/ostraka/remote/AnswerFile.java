package io.ostraka.remote;

import com.google.gson.JsonObject;
import io.ostraka.api.Secret;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Stores the last accepted answer on disk, so that the application can start with it while the platform is down. The
 * file is encrypted with AES-256-GCM, because an answer may contain confidential parameters. The encryption key is
 * derived from the application's key. After reading the file, the caller verifies the signature of the document again.
 */
final class AnswerFile {
    private static final byte FORMAT = 1;
    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int LARGEST = 2 * Platform.LARGEST_ANSWER;

    private final Path file;
    private final String purpose;
    private final Secret key;
    private final SecureRandom random = new SecureRandom();

    AnswerFile(Path directory, String application, String environment, Secret key) {
        this.file = directory.resolve(application + "@" + environment + ".answer");
        this.purpose = "ostraka-remote-file/1 " + application + " " + environment;
        this.key = key;
    }

    /**
     * An answer on disk.
     *
     * @param document the signed document
     * @param nonce nonce of the request to which it is the answer
     * @param confirmedAt time at which the platform last sent or confirmed it, by this machine's clock
     */
    record Kept(String document, String nonce, Instant confirmedAt) {}

    Path path() {
        return file;
    }

    /**
     * Reads the stored answer; empty if there is none.
     *
     * @throws IOException if the file exists, but cannot be read or decrypted
     */
    Optional<Kept> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        if (Files.size(file) > LARGEST) {
            throw new IOException("it is longer than " + LARGEST + " bytes");
        }
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length < 1 + IV_BYTES || bytes[0] != FORMAT) {
            throw new IOException("it has another format");
        }
        try {
            Cipher cipher = cipher(Cipher.DECRYPT_MODE, Arrays.copyOfRange(bytes, 1, 1 + IV_BYTES));
            byte[] text = cipher.doFinal(bytes, 1 + IV_BYTES, bytes.length - 1 - IV_BYTES);
            JsonObject json = Json.object("the file", Json.utf8("the file", text));
            return Optional.of(new Kept(
                    Json.text("the file", json, "document"),
                    Json.text("the file", json, "nonce"),
                    Instant.parse(Json.text("the file", json, "confirmedAt"))));
        } catch (GeneralSecurityException e) {
            throw new IOException("it was written with another key, or was changed", e);
        } catch (RefusedAnswerException | DateTimeException | IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Replaces the stored answer atomically: a reader sees either the old answer or the new one.
     *
     * @throws IOException if the file cannot be written
     */
    void write(Kept kept) throws IOException {
        JsonObject json = new JsonObject();
        json.addProperty("document", kept.document());
        json.addProperty("nonce", kept.nonce());
        json.addProperty("confirmedAt", kept.confirmedAt().toString());
        byte[] iv = new byte[IV_BYTES];
        random.nextBytes(iv);
        byte[] encrypted;
        try {
            encrypted = cipher(Cipher.ENCRYPT_MODE, iv).doFinal(json.toString().getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory, permissions("rwx------"));
        }
        Path next = Files.createTempFile(directory, file.getFileName().toString(), ".tmp", permissions("rw-------"));
        try {
            try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
                ByteBuffer all = ByteBuffer.allocate(1 + IV_BYTES + encrypted.length)
                        .put(FORMAT)
                        .put(iv)
                        .put(encrypted)
                        .flip();
                while (all.hasRemaining()) {
                    channel.write(all);
                }
                channel.force(true);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
    }

    private static FileAttribute<?>[] permissions(String permissions) {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private Cipher cipher(int mode, byte[] iv) throws GeneralSecurityException {
        byte[] own = Platform.key(key);
        byte[] derived = SignedRequest.mac(own, purpose);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(derived, "AES"), new GCMParameterSpec(TAG_BITS, iv));
        cipher.updateAAD(purpose.getBytes(StandardCharsets.UTF_8));
        Arrays.fill(own, (byte) 0);
        Arrays.fill(derived, (byte) 0);
        return cipher;
    }
}
