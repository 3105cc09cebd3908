package io.ostraka.console.server;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The keys of the settings. {@code docs/console.md} has the same table; a test compares them. {@code NAME} in a key
 * stands for any name of letters, digits, hyphens, underscores, dots and at signs.
 */
enum Key {
    LISTEN_ADDRESS("listen.address", "127.0.0.1", "an address or a host name of this machine"),
    LISTEN_PORT("listen.port", "8077", "0 to 65535; 0 chooses a free port"),
    LISTEN_PLAIN("listen.plain", "false", "true if a reverse proxy terminates TLS, or false"),
    HEALTH_PORT("health.port", "", "1 to 65535"),
    TLS_KEYSTORE("tls.keystore", "", "a readable PKCS12 or JKS file with a certificate and its key"),
    TLS_KEYSTORE_PASSWORD("tls.keystore-password", "", "the password of the key store", true),
    HOSTS("hosts", "", "host names, as browsers send them, separated by commas"),
    PUBLIC_ORIGIN("public-origin", "", "the address that people open, such as https://jobs.example.org"),

    ZOOKEEPER_SERVERS("zookeeper.servers", "", "host:port,host:port"),
    ZOOKEEPER_CHROOT("zookeeper.chroot", "", "a path such as /teams/billing"),
    ZOOKEEPER_SESSION_TIMEOUT("zookeeper.session-timeout", "PT15S", Key.DURATION),
    ZOOKEEPER_CONNECTION_TIMEOUT("zookeeper.connection-timeout", "PT10S", Key.DURATION),
    ZOOKEEPER_OPERATION_TIMEOUT("zookeeper.operation-timeout", "PT10S", Key.DURATION),
    ZOOKEEPER_DIGEST_USER("zookeeper.digest-user", "", "a name without a colon"),
    ZOOKEEPER_DIGEST_PASSWORD("zookeeper.digest-password", "", "the password of the digest user", true),
    ZOOKEEPER_SASL("zookeeper.sasl", "", "the name of a section of the JAAS configuration, such as Client"),
    ZOOKEEPER_TLS("zookeeper.tls", "false", Key.BOOLEAN),
    ZOOKEEPER_TLS_TRUSTSTORE("zookeeper.tls.truststore", "", "a readable JKS, PKCS12 or PEM file"),
    ZOOKEEPER_TLS_TRUSTSTORE_PASSWORD("zookeeper.tls.truststore-password", "", "the password of the trust store", true),
    ZOOKEEPER_TLS_KEYSTORE("zookeeper.tls.keystore", "", "a readable JKS, PKCS12 or PEM file"),
    ZOOKEEPER_TLS_KEYSTORE_PASSWORD("zookeeper.tls.keystore-password", "", "the password of the key store", true),
    ZOOKEEPER_TLS_HOSTNAME_VERIFICATION("zookeeper.tls.hostname-verification", "true", Key.BOOLEAN),
    NAMESPACES("namespaces", "", "names of namespaces, separated by commas"),

    USER_PASSWORD("users.NAME.password", "", "a hash that 'bin/console hash-password' has printed", true),
    USER_GRANTS("users.NAME.grants", "", Key.GRANTS),
    TOKEN_HASH("tokens.NAME.hash", "", "a hash that 'bin/console create-token NAME' has printed", true),
    TOKEN_GRANTS("tokens.NAME.grants", "", Key.GRANTS),
    TOKEN_EXPIRES("tokens.NAME.expires", "", "a time such as 2027-01-31T00:00:00Z"),
    PROXY_SECRET(
            "proxy.secret", "", "at least 32 random characters that only the reverse proxy and the console have", true),
    PROXY_USER_HEADER("proxy.user-header", "X-Forwarded-User", "the name of a header"),
    PROXY_GROUPS_HEADER("proxy.groups-header", "X-Forwarded-Groups", "the name of a header"),
    PROXY_GRANTS("proxy.grants", "", Key.GRANTS),
    PROXY_USER_GRANTS("proxy.users.NAME.grants", "", Key.GRANTS),
    PROXY_GROUP_GRANTS("proxy.groups.NAME.grants", "", Key.GRANTS),
    SESSIONS_IDLE("sessions.idle", "PT30M", "a duration from PT1M to P30D"),
    SESSIONS_LENGTH("sessions.length", "PT12H", "a duration from PT1M to P30D"),
    MASK_PARAMETERS("mask-parameters", "false", Key.BOOLEAN),
    LOGS_URL(
            "logs.url",
            "",
            "an http or https URL with placeholders such as {runId}, for example https://logs.example.org/search?q={runId}"),

    HISTORY_URL("history.url", "", "a JDBC URL whose driver is on the class path", true),
    HISTORY_USER("history.user", "", "the name of the database's user"),
    HISTORY_PASSWORD("history.password", "", "the password of the database's user", true),
    HISTORY_SPOOL("history.spool", "", "a directory that this process can write"),
    HISTORY_TABLE_PREFIX(
            "history.table-prefix", "ostraka_", "letters, digits and underscores, after a schema and a dot, if any"),
    HISTORY_SCHEMA("history.schema", "validate", "validate, create or none");

    private static final String DURATION = "a duration such as PT15S";
    private static final String BOOLEAN = "true or false";
    private static final String GRANTS =
            "ROLE, ROLE NAMESPACE, ROLE NAMESPACE/JOB or ROLE NAMESPACE label:KEY=VALUE, several separated by commas";

    private static final String NAME = "NAME";
    private static final String ENVIRONMENT = "OSTRAKA_CONSOLE_";

    private final String text;
    private final String standard;
    private final String accepted;
    private final boolean secret;

    Key(String text, String standard, String accepted) {
        this(text, standard, accepted, false);
    }

    Key(String text, String standard, String accepted, boolean secret) {
        this.text = text;
        this.standard = standard;
        this.accepted = accepted;
        this.secret = secret;
    }

    /** Returns the key as in the file, with {@code NAME} for a name. */
    String text() {
        return text;
    }

    /** Returns the default value; empty if there is none. */
    String standard() {
        return standard;
    }

    /** Returns a description of the accepted values. */
    String accepted() {
        return accepted;
    }

    /** Returns whether the value is secret, so that no message may contain it. */
    boolean secret() {
        return secret;
    }

    /** Returns the key for a name. */
    String of(String name) {
        return text.replace(NAME, name);
    }

    /** Returns whether a key of a file is this key, with any name. */
    boolean matches(String key) {
        return Pattern.matches(Pattern.quote(text).replace(NAME, "\\E[A-Za-z0-9_.@-]{1,128}\\Q"), key);
    }

    /** Returns the name in a key that this key {@link #matches}. */
    String name(String key) {
        int at = text.indexOf(NAME);
        return key.substring(at, key.length() - (text.length() - at - NAME.length()));
    }

    /** Returns whether the key contains a name. */
    boolean hasName() {
        return text.contains(NAME);
    }

    /** Returns the environment variable that replaces the value of a key. */
    static String variable(String key) {
        return ENVIRONMENT + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** Returns whether an environment variable is for settings. */
    static boolean isVariable(String name) {
        return name.startsWith(ENVIRONMENT);
    }
}
