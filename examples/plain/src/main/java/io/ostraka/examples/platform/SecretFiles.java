package io.ostraka.examples.platform;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Creates and reads the secrets of a {@link ReferencePlatform}. The JSON files contain only references to them. */
public final class SecretFiles {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):(.+)}");
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    private SecretFiles() {}

    /**
     * Credentials for the settings of an application.
     *
     * @param keyId id of the application's key
     * @param key file with this key
     * @param signingId id of the platform's key
     * @param publicKey public key of the platform
     */
    public record Credentials(String keyId, Path key, String signingId, String publicKey) {}

    /**
     * Creates a key for an application, and the platform's key if there is none. If the application already has one
     * key, the new key is its second. Only the owner of the files with secrets can read them.
     *
     * @throws IOException if a file cannot be written, or if the application has two keys
     */
    public static Credentials create(Path directory, String application, String environment) throws IOException {
        Files.createDirectories(directory.resolve("keys"), mode("rwx------"));
        Path signing = directory.resolve("signing.json");
        if (!Files.exists(signing)) {
            KeyPair pair = pair();
            write(directory.resolve("keys/p1.key"), pair.getPrivate().getEncoded());
            Files.writeString(
                    directory.resolve("keys/p1.public"), base64(pair.getPublic().getEncoded()) + "\n");
            JsonObject key = new JsonObject();
            key.addProperty("id", "p1");
            key.addProperty("key", "${file:keys/p1.key}");
            Files.writeString(signing, GSON.toJson(key) + "\n");
        }
        Path file = directory.resolve("keys.json");
        JsonObject keys = Files.exists(file) ? object(file) : new JsonObject();
        String prefix = application + "-" + environment + "-";
        int number = 1;
        while (keys.has(prefix + number) || Files.exists(directory.resolve("keys/" + prefix + number + ".key"))) {
            number++;
        }
        long present = keys.asMap().values().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(key -> key.get("application").getAsString().equals(application)
                        && key.get("environment").getAsString().equals(environment))
                .count();
        if (present >= 2) {
            throw new IOException("this application has two keys; remove the older one from " + file + " first");
        }
        String id = prefix + number;
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        write(directory.resolve("keys/" + id + ".key"), secret);
        JsonObject key = new JsonObject();
        key.addProperty("application", application);
        key.addProperty("environment", environment);
        key.addProperty("key", "${file:keys/" + id + ".key}");
        keys.add(id, key);
        Files.writeString(file, GSON.toJson(keys) + "\n");
        String signingId = object(signing).get("id").getAsString();
        return new Credentials(
                id,
                directory.resolve("keys/" + id + ".key").toAbsolutePath(),
                signingId,
                Files.readString(directory.resolve("keys/" + signingId + ".public"))
                        .strip());
    }

    /**
     * Reads the secret to which a reference points, in Base64. Paths are relative to the directory. Messages never
     * contain the secret.
     */
    static byte[] read(Path directory, String reference) throws IOException {
        Matcher found = REFERENCE.matcher(reference);
        if (!found.matches()) {
            throw new IOException("a reference to a key is not accepted; accepted: ${env:NAME} or ${file:PATH}");
        }
        String place = found.group(2);
        String text = found.group(1).equals("file")
                ? Files.readString(directory.resolve(place))
                : System.getenv().getOrDefault(place, "");
        try {
            byte[] secret = Base64.getDecoder().decode(text.strip());
            if (secret.length >= 32) {
                return secret;
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("the key of the reference " + reference + " is not in Base64");
        }
        throw new IOException("the key of the reference " + reference + " has fewer than 32 bytes");
    }

    private static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has Ed25519", e);
        }
    }

    private static JsonObject object(Path file) throws IOException {
        return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    }

    /** Writes a new file, which has its restricted permissions from the moment of its creation. */
    private static void write(Path file, byte[] secret) throws IOException {
        if (Files.exists(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        Files.createFile(file, mode("rw-------"));
        Files.writeString(file, base64(secret) + "\n", StandardOpenOption.WRITE);
    }

    private static FileAttribute<?>[] mode(String permissions) {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
