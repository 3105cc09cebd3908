package io.ostraka.console.server;

import io.ostraka.api.Secret;
import io.ostraka.console.WholeNumber;
import io.ostraka.console.security.SecuritySettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a console.
 *
 * @param listen address at which the console listens
 * @param access callers, and hosts under which people reach the console
 * @param zooKeeper connections to ZooKeeper
 * @param history database of the history; null if there is no history
 * @param views settings of the views
 * @param warnings warnings about the settings, for the log
 */
record ConsoleSettings(
        Listen listen,
        SecuritySettings access,
        ZooKeeperSettings zooKeeper,
        @Nullable HistorySettings history,
        Views views,
        List<String> warnings) {

    /**
     * Settings of the views.
     *
     * @param maskParameters true to hide the values of parameters
     * @param logs template of links to the log system; null if there is none
     */
    record Views(boolean maskParameters, @Nullable String logs) {}

    /**
     * Reads the settings.
     *
     * @param environment environment variables, some of which replace values of the file
     * @throws SettingsException if the settings have mistakes; it names all of them
     */
    static ConsoleSettings read(Path file, Map<String, String> environment) throws SettingsException {
        SettingValues values = new SettingValues(file, environment);
        SecuritySettings access = AccessSettings.read(values);
        ConsoleSettings settings = new ConsoleSettings(
                listen(values, access),
                access,
                ZooKeeperSettings.read(values),
                HistorySettings.read(values).orElse(null),
                new Views(
                        values.flag(Key.MASK_PARAMETERS),
                        values.parsed(Key.LOGS_URL, LogsUrl::check).orElse(null)),
                List.copyOf(values.warnings()));
        if (!values.mistakes().isEmpty()) {
            throw new SettingsException(values.mistakes());
        }
        return settings;
    }

    private static Listen listen(SettingValues values, SecuritySettings access) {
        boolean[] beyond = {false};
        String address = values.parsed(Key.LISTEN_ADDRESS, text -> {
                    beyond[0] = !isLoopback(text);
                    return text;
                })
                .orElse("");
        int port = values.parsed(Key.LISTEN_PORT, text -> port(text, 0)).orElse(0);
        Integer healthPort =
                values.parsed(Key.HEALTH_PORT, text -> port(text, 1)).orElse(null);
        boolean plain = values.flag(Key.LISTEN_PLAIN);
        Listen.KeyStore tls = tls(values);
        boolean wantsTls = values.has(Key.TLS_KEYSTORE);
        if (plain && wantsTls) {
            values.mistake("listen.plain is 'true', but tls.keystore is set, too; remove one of them");
        }
        if (beyond[0]) {
            checkBeyondLoopback(values, access, address, plain || wantsTls);
        }
        return new Listen(address, port, tls, healthPort, plain || values.has(Key.PROXY_SECRET));
    }

    private static int port(String text, int least) {
        return (int) WholeNumber.read(text, least, 65_535);
    }

    private static void checkBeyondLoopback(
            SettingValues values, SecuritySettings access, String address, boolean encrypted) {
        String begin = "listen.address is '" + address + "', which other machines can reach, but ";
        if (!encrypted) {
            values.mistake(begin + "there is no TLS; set tls.keystore, or set listen.plain to true if a reverse proxy"
                    + " terminates TLS");
        }
        if (!access.hasCallers()) {
            values.mistake(begin + "the settings name no caller; set users.NAME.password, tokens.NAME.hash or"
                    + " proxy.secret");
        }
        if (!values.has(Key.HOSTS) && !values.has(Key.PUBLIC_ORIGIN)) {
            values.mistake(begin + "the console knows no host name of its own; set public-origin or hosts");
        }
    }

    private static boolean isLoopback(String address) {
        try {
            return Arrays.stream(InetAddress.getAllByName(address)).allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            throw new SettingValues.RefusedValue("the host is not known");
        }
    }

    private static Listen.@Nullable KeyStore tls(SettingValues values) {
        Optional<Path> file = values.file(Key.TLS_KEYSTORE);
        Secret password = values.secret(Key.TLS_KEYSTORE_PASSWORD);
        if (password == null && values.has(Key.TLS_KEYSTORE)) {
            values.missing(Key.TLS_KEYSTORE_PASSWORD.text(), "the key store needs its password");
        } else if (password != null && !values.has(Key.TLS_KEYSTORE)) {
            values.missing(Key.TLS_KEYSTORE.text(), "set it for the password in " + Key.TLS_KEYSTORE_PASSWORD.text());
        }
        if (file.isEmpty() || password == null) {
            return null;
        }
        try {
            KeyStore.getInstance(file.get().toFile(), password.read());
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            values.mistake(Key.TLS_KEYSTORE.text() + " is '" + file.get() + "', which cannot be opened with "
                    + Key.TLS_KEYSTORE_PASSWORD.text() + "; check the file and the password");
            return null;
        }
        return new Listen.KeyStore(file.get(), password);
    }
}
