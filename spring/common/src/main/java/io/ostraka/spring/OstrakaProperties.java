package io.ostraka.spring;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the instance and its jobs. Most components correspond to a method of
 * {@link io.ostraka.lite.RegistryBuilder}, whose documentation explains them. A component is null if its property is
 * not set; the default of the library then applies. Unknown names below {@code ostraka} are refused, except in
 * environment variables and system properties. Immutable.
 *
 * @param enabled whether the application connects to ZooKeeper and hosts its jobs
 * @param namespace name of the application, which all its instances share; {@code spring.application.name} by default
 * @param zookeeper connection to ZooKeeper
 * @param instance this instance
 * @param concurrentRuns limits on the runs and tasks of this process
 * @param virtualThreads whether each run uses a virtual thread of its own; {@code spring.threads.virtual.enabled} by
 *     default
 * @param lifecycle start and stop
 * @param allow powers that jobs have only if they are allowed here
 * @param webhook destination of the error handler {@code WEBHOOK}
 * @param alarms destinations of alarms and heartbeats
 * @param console operations over HTTP, below {@code /ostraka} on the application's own port
 * @param remote platform that provides configuration over HTTP
 * @param defaults configuration of all jobs, where neither their own properties nor their annotations set it
 * @param jobs configuration of jobs, by name
 */
@ConfigurationProperties(value = "ostraka", ignoreUnknownFields = false)
public record OstrakaProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String namespace,
        @DefaultValue ZooKeeper zookeeper,
        @DefaultValue Instance instance,
        @DefaultValue ConcurrentRuns concurrentRuns,
        @Nullable Boolean virtualThreads,
        @DefaultValue Lifecycle lifecycle,
        @DefaultValue Allow allow,
        @Nullable Webhook webhook,
        @DefaultValue Alarms alarms,
        @DefaultValue Console console,
        @DefaultValue Remote remote,
        @NestedConfigurationProperty @DefaultValue JobProperties defaults,
        @DefaultValue Map<String, JobProperties> jobs) {

    /**
     * Connection to ZooKeeper.
     *
     * @param connectString servers, such as {@code zk1:2181,zk2:2181,zk3:2181}
     * @param chroot path of the node below which all nodes are stored
     * @param sessionTimeout time without a sign of life after which the instance counts as dead; 15 s by default
     * @param connectionTimeout time limit of one attempt to connect; 10 s by default
     * @param retryPause pause before an operation is repeated after a lost connection; 1 s by default
     * @param operationTimeout longest time that a call waits for ZooKeeper; 20 s by default
     * @param digest user and password of the digest scheme
     * @param sasl section of the process's JAAS configuration
     * @param tls encryption of the connection
     * @param openAccess whether nodes are open to everyone although this process has credentials
     * @param embedded whether a ZooKeeper server runs inside this process, for development. Then {@code
     *     connect-string} must not be set. Has no effect if a bean of type {@link OstrakaConnectionDetails} exists
     * @param embeddedDirectory directory of the embedded server's data
     */
    public record ZooKeeper(
            @Nullable String connectString,
            @Nullable String chroot,
            @Nullable Duration sessionTimeout,
            @Nullable Duration connectionTimeout,
            @Nullable Duration retryPause,
            @Nullable Duration operationTimeout,
            @Nullable Digest digest,
            @Nullable String sasl,
            @Nullable Tls tls,
            @Nullable Boolean openAccess,
            @DefaultValue("false") boolean embedded,
            @DefaultValue("target/zookeeper") Path embeddedDirectory) {}

    /**
     * Credentials of the digest scheme.
     *
     * @param user user name without a colon
     * @param password password, usually a placeholder such as <code>${ZK_PASSWORD}</code>
     */
    public record Digest(@Nullable String user, @Nullable String password) {
        /** Returns only the user, because the password is a secret. */
        @Override
        public String toString() {
            return "Digest[user=" + user + "]";
        }
    }

    /**
     * Encryption of the connection.
     *
     * @param trustStore file with the trusted certificates; the JDK's by default
     * @param trustStorePassword password of the trust store
     * @param keyStore file with this process's certificate; none by default
     * @param keyStorePassword password of the key store
     */
    public record Tls(
            @Nullable Path trustStore,
            @Nullable String trustStorePassword,
            @Nullable Path keyStore,
            @Nullable String keyStorePassword) {
        /** Returns only the files, because the passwords are secrets. */
        @Override
        public String toString() {
            return "Tls[trustStore=" + trustStore + ", keyStore=" + keyStore + "]";
        }
    }

    /**
     * This instance.
     *
     * @param name name in logs, plans and views; the host name by default
     * @param zone location, such as a data centre
     * @param tags attributes for strategies and placement conditions
     * @param weight capacity relative to other instances; 1 by default
     */
    public record Instance(
            @Nullable String name,
            @Nullable String zone,
            @DefaultValue Map<String, String> tags,
            @Nullable Integer weight) {}

    /**
     * Limits on the runs and tasks of this process at the same time.
     *
     * @param quick items of quick jobs; 256 by default
     * @param slow items of slow jobs; 128 by default
     * @param tasks child tasks of all runs; 256 by default
     */
    public record ConcurrentRuns(
            @DefaultValue("256") int quick, @DefaultValue("128") int slow, @DefaultValue("256") int tasks) {}

    /** Moment at which the application hosts its jobs. */
    public enum Start {
        /** When the application is ready, after its runners have returned. */
        READY,
        /** At the end of the context's refresh. For contexts without a {@code SpringApplication}. */
        REFRESH
    }

    /**
     * Start and stop.
     *
     * @param start moment at which the application hosts its jobs
     * @param phase phase of the {@code SmartLifecycle}. The default stops the instance after message listeners and
     *     before the web server
     * @param failFast time within which the instance must be registered in ZooKeeper for the start to succeed; by
     *     default the application starts without waiting for ZooKeeper
     */
    public record Lifecycle(
            @DefaultValue("ready") Start start, @DefaultValue("2147483135") int phase, @Nullable Duration failFast) {}

    /**
     * Abilities that jobs have only if the application allows them.
     *
     * @param scriptJobs whether script jobs may start programs
     * @param httpHosts hosts that HTTP jobs may send requests to
     * @param privateHosts hosts whose addresses may be private
     */
    public record Allow(
            @DefaultValue("false") boolean scriptJobs,
            @DefaultValue List<String> httpHosts,
            @DefaultValue List<String> privateHosts) {}

    /**
     * Destination of the error handler {@code WEBHOOK}.
     *
     * @param target URI that receives the reports
     * @param secret key of their signature, usually a placeholder such as <code>${OSTRAKA_WEBHOOK_KEY}</code>
     */
    public record Webhook(@Nullable URI target, @Nullable String secret) {
        /** Returns only the target, because the key is a secret. */
        @Override
        public String toString() {
            return "Webhook[target=" + target + "]";
        }
    }

    /**
     * Destinations of alarms and heartbeats.
     *
     * @param webhook server that receives the alarms
     * @param heartbeat services that notice when runs no longer succeed
     */
    public record Alarms(@Nullable AlarmWebhook webhook, @DefaultValue Heartbeat heartbeat) {}

    /**
     * Server that receives the alarms.
     *
     * @param target URI that receives the requests, usually a placeholder such as <code>${SLACK_WEBHOOK}</code> if its
     *     path is a secret
     * @param secret key of the signature, usually a placeholder such as <code>${OSTRAKA_ALARM_KEY}</code>. Not required
     *     if there is a template without <code>${secret}</code>
     * @param template form of the requests: {@code slack}, {@code teams}, {@code mattermost}, {@code rocket-chat},
     *     {@code discord}, {@code google-chat}, {@code pagerduty}, or the location of a file of your own, such as
     *     {@code classpath:alarm.json}; a file whose name does not end with {@code .json} is plain text. By default,
     *     the library's JSON
     */
    public record AlarmWebhook(@Nullable String target, @Nullable String secret, @Nullable String template) {
        /** Returns only the template, because the target may be a secret. */
        @Override
        public String toString() {
            return "AlarmWebhook[template=" + template + "]";
        }
    }

    /**
     * Services that receive a GET request after successful runs.
     *
     * @param target URI for the successes of all jobs
     * @param interval shortest time between two requests of this process to one URI; one minute by default
     * @param jobs URIs for the successes of single jobs, by name
     */
    public record Heartbeat(
            @Nullable String target, @Nullable Duration interval, @DefaultValue Map<String, String> jobs) {
        /** Returns only the interval, because the targets may be secrets. */
        @Override
        public String toString() {
            return "Heartbeat[interval=" + interval + "]";
        }
    }

    /**
     * Operations over HTTP. Needs the module {@code ostraka-job-console} and a servlet container.
     *
     * @param enabled whether the operations are served
     * @param maskParameters whether the values of job parameters are hidden
     * @param allowAnonymousViewer whether everybody may read if the application has no Spring Security
     * @param hosts host names under which the operations are served, besides addresses and {@code localhost}. If the list
     *     is empty, every name is accepted; without a login, none is
     */
    public record Console(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("false") boolean maskParameters,
            @DefaultValue("false") boolean allowAnonymousViewer,
            @DefaultValue List<String> hosts) {}

    /**
     * Platform that provides the configuration of jobs and of the connection to ZooKeeper. Needs the module {@code
     * ostraka-job-remote}. Its values take precedence over all other properties, and an operator's override takes
     * precedence over both.
     *
     * @param url address of the platform: HTTPS, or plain HTTP on this machine. Without it, no platform is asked
     * @param application name of the application on the platform; {@code spring.application.name} by default
     * @param environment environment in which the application runs, such as {@code production}; {@code default} by
     *     default
     * @param keyId id of the key that signs the requests
     * @param key key that signs the requests: 32 or more random bytes in Base64, usually a placeholder such as <code>
     *     ${OSTRAKA_REMOTE_KEY}</code>
     * @param trustedKeys public keys of the platform, by their ids
     * @param pollInterval average time between two requests; 30 s by default
     * @param timeout time limit of a request; 10 s by default
     * @param cache last accepted answer on disk
     * @param allow limits of the platform
     * @param secrets secrets that the platform can refer to, by name; usually placeholders such as <code>${ZK_PASSWORD}
     *     </code>
     * @param sslBundle name of the SSL bundle, below {@code spring.ssl.bundle}, with the trusted certificates and the
     *     client's certificate; the JDK's by default
     */
    public record Remote(
            @Nullable String url,
            @Nullable String application,
            @Nullable String environment,
            @Nullable String keyId,
            @Nullable String key,
            @DefaultValue Map<String, String> trustedKeys,
            @Nullable Duration pollInterval,
            @Nullable Duration timeout,
            @DefaultValue RemoteCache cache,
            @DefaultValue RemoteAllow allow,
            @DefaultValue Map<String, String> secrets,
            @Nullable String sslBundle) {
        /** Returns only the names, because the address and the key may be secrets. */
        @Override
        public String toString() {
            return "Remote[application=" + application + ", environment=" + environment + ", keyId=" + keyId + "]";
        }
    }

    /**
     * The last accepted answer of the platform, which is stored on disk, encrypted.
     *
     * @param directory directory in which the answer is kept; by default none is kept
     * @param maxAge longest time for which the answer is used after the platform has last confirmed it; 7 days by
     *     default
     */
    public record RemoteCache(@Nullable Path directory, @Nullable Duration maxAge) {}

    /**
     * Limits on the values that the platform may set.
     *
     * @param jobs jobs that the platform configures: names, or beginnings of names followed by {@code *}; all by
     *     default
     * @param fields fields of jobs that the platform may set; by default those that an operator can override, except
     *     the ones that name code
     * @param servers hosts of ZooKeeper servers that the platform may choose: names, or {@code *.} and the end of
     *     names; none by default
     */
    public record RemoteAllow(
            @Nullable List<String> jobs, @Nullable List<String> fields, @Nullable List<String> servers) {}
}
