package io.ostraka.cli.transport;

import java.util.Locale;

/** Settings of the connection. Each can be given as an option, as an environment variable, or in a context. */
public enum Setting {
    /** Address of the console. */
    SERVER("URL", "Address of the console, such as https://console.example.org."),
    /** File with the token. */
    TOKEN_FILE(
            "FILE",
            "File that contains the token for --server. The variable OSTRAKA_TOKEN may contain the token instead."),
    /** File with the certificates to trust. */
    CA_FILE("FILE", "PEM file with the certificates that --server may present, in place of those that the JDK trusts."),
    /** Servers of the ensemble. */
    ZOOKEEPER("HOSTS", "ZooKeeper servers, as host:port,host:port. Goes around the console, its roles and its audit."),
    /** Path below which the namespaces are. */
    CHROOT("PATH", "Path of the node below which the namespaces are, for --zookeeper."),
    /** User of ZooKeeper's digest scheme. */
    DIGEST_USER("NAME", "User of ZooKeeper's digest scheme."),
    /** File with the password of the digest scheme. */
    DIGEST_PASSWORD_FILE("FILE", "File that contains the password of --digest-user."),
    /** Section of the JAAS configuration. */
    SASL("SECTION", "Section of the JAAS configuration in the system property java.security.auth.login.config."),
    /** Trust store for TLS to ZooKeeper. */
    TRUST_STORE("FILE", "Trust store (.p12, .jks, .pem) for TLS to ZooKeeper."),
    /** File with the password of the trust store. */
    TRUST_STORE_PASSWORD_FILE("FILE", "File that contains the password of --trust-store."),
    /** Key store with the client certificate. */
    KEY_STORE("FILE", "Key store (.p12, .jks, .pem) with the client certificate for ZooKeeper."),
    /** File with the password of the key store. */
    KEY_STORE_PASSWORD_FILE("FILE", "File that contains the password of --key-store."),
    /** Name of the person. */
    AS("NAME", "Your name, which --zookeeper stores with each change. Default: the user of the operating system."),
    /** Namespace. */
    NAMESPACE("NAME", "Namespace. Default: the only namespace, if there is only one.");

    private final String label;
    private final String description;

    Setting(String label, String description) {
        this.label = label;
        this.description = description;
    }

    public String label() {
        return label;
    }

    public String description() {
        return description;
    }

    /** Returns the name in contexts, such as {@code token-file}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the long option. */
    public String option() {
        return "--" + key();
    }

    /** Returns the variable of the environment. */
    public String variable() {
        return "OSTRAKA_" + name();
    }
}
