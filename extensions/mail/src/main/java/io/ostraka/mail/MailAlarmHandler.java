package io.ostraka.mail;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.Secret;
import jakarta.mail.Address;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends each alarm as a mail through an SMTP server. Pass a handler to the registry's builder on every instance,
 * because any instance may become the leader. Thread-safe.
 *
 * <p>The connection is encrypted with STARTTLS unless the builder sets another encryption, and the server's certificate
 * must match its name. The handler sends each mail on a separate thread and waits at most 30 seconds for the result.
 * The mails about the beginning and the end of an alarm belong to one conversation. A repeated mail has the same {@code
 * Message-ID}, so many mail systems show it only once.
 */
public final class MailAlarmHandler implements AlarmHandler {
    /** Default of {@link Builder#subject}. */
    public static final String SUBJECT = "[${namespace}] ${kind} ${firing?|resolved }- ${subject}";

    private static final long LIMIT_SECONDS = 30;
    private static final int LONGEST_TEXT = 500;
    private static final int MOST_CAUSES = 5;
    private static final AlarmTemplate BODY =
            AlarmTemplate.text("${line}\n\nNamespace: ${namespace}\nJob: ${job}\nKind: ${kind}\nState: ${state}\n"
                    + "Since: ${since}\n${firing?Found|Ended}: ${at}\nAffected items: ${itemCount} ${items}\n"
                    + "Labels: ${labels}\nAlarm: ${id}\n");

    private final String name;
    private final Smtp smtp;
    private final InternetAddress from;
    private final List<InternetAddress> recipients;
    private final Map<Label, List<InternetAddress>> byLabel;
    private final AlarmTemplate subject;
    private final AtomicBoolean sending = new AtomicBoolean();

    private record Label(String name, String value) {}

    private MailAlarmHandler(Builder builder) {
        this.name = builder.name;
        this.smtp = new Smtp(builder.server());
        this.from = Objects.requireNonNull(builder.from);
        this.recipients = List.copyOf(builder.recipients);
        this.byLabel = Map.copyOf(builder.byLabel);
        this.subject = builder.subject;
    }

    /**
     * Returns a builder.
     *
     * @param host name of the SMTP server
     * @param port port of the SMTP server: usually 587 with STARTTLS, and 465 with {@link Builder#tls}
     * @throws IllegalArgumentException if the host is empty or the port is not from 1 to 65535
     */
    public static Builder newBuilder(String host, int port) {
        return new Builder(host, port);
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Sends the alarm to the recipients of its labels, or otherwise to the default recipients.
     *
     * @throws IOException if the server does not accept the mail for any recipient within 30 seconds, or if an earlier
     *     mail is still being sent
     */
    @Override
    public void handle(Alarm alarm) throws IOException, InterruptedException {
        Mail mail = new Mail(from, recipients(alarm), subject.render(alarm, ""), BODY.render(alarm, ""), alarm);
        if (!sending.compareAndSet(false, true)) {
            throw new IOException(smtp + " has not finished accepting a former mail");
        }
        CompletableFuture<Void> sent = new CompletableFuture<>();
        Thread thread = new Thread(() -> send(mail, sent), "ostraka-mail");
        thread.setDaemon(true);
        thread.setContextClassLoader(getClass().getClassLoader()); // Jakarta Mail loads its providers from there
        try {
            thread.start();
        } catch (Throwable e) { // for example because the process has too many threads
            sending.set(false);
            throw e;
        }
        try {
            sent.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(smtp + " did not accept the mail within " + LIMIT_SECONDS + " s");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            Throwable root = cause;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            String text = cause.getMessage() + (root == cause ? "" : ": " + root.getMessage());
            throw new IOException(smtp + " did not accept the mail: " + printable(text), printable(cause, MOST_CAUSES));
        }
    }

    /** Returns a failure with the same stack traces, whose texts do not quote the server's answers as they are. */
    private static @Nullable Throwable printable(@Nullable Throwable failure, int causes) {
        if (failure == null || causes == 0) {
            return null;
        }
        Throwable shown = new IOException(printable(failure.toString()), printable(failure.getCause(), causes - 1));
        shown.setStackTrace(failure.getStackTrace());
        return shown;
    }

    /**
     * Returns the beginning of a text of the server in one line, which can neither forge a line of a log nor control a
     * terminal.
     */
    static String printable(String text) {
        String shown = text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) + "…" : text;
        return shown.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]+", " ");
    }

    private void send(Mail mail, CompletableFuture<Void> sent) {
        Throwable failure = null;
        try {
            smtp.send(mail);
        } catch (Throwable e) { // the caller receives it
            failure = e;
        }
        sending.set(false); // before the caller continues, because it may send the next mail at once
        if (failure == null) {
            sent.complete(null);
        } else {
            sent.completeExceptionally(failure);
        }
    }

    private Address[] recipients(Alarm alarm) {
        Set<Address> found = new LinkedHashSet<>();
        alarm.labels().forEach((name, value) -> found.addAll(byLabel.getOrDefault(new Label(name, value), List.of())));
        return (found.isEmpty() ? recipients : found).toArray(Address[]::new);
    }

    /** Returns the server, without the user. */
    @Override
    public String toString() {
        return "mail through " + smtp;
    }

    /** Builds a {@link MailAlarmHandler}. Not thread-safe. */
    public static final class Builder {
        private final String host;
        private final int port;
        private String name = "mail";
        private final List<InternetAddress> recipients = new ArrayList<>();
        private final Map<Label, List<InternetAddress>> byLabel = new LinkedHashMap<>();
        private Smtp.Encryption encryption = Smtp.Encryption.STARTTLS;
        private @Nullable SSLContext trust;
        private @Nullable String user;
        private @Nullable Secret password;
        private @Nullable InternetAddress from;
        private AlarmTemplate subject = AlarmTemplate.text(SUBJECT);

        private Builder(String host, int port) {
            if (host.isBlank() || port < 1 || port > 65_535) {
                throw new IllegalArgumentException("the SMTP server is '" + host + "', port " + port
                        + "; accepted: a host name, and a port from 1 to 65535");
            }
            this.host = host;
            this.port = port;
        }

        private Smtp.Server server() {
            return new Smtp.Server(host, port, encryption, trust, user, password);
        }

        /**
         * Sets the {@linkplain AlarmHandler#name name of the handler}; {@code mail} by default. If an application has
         * several mail handlers, each needs a name of its own, which must be the same on all instances.
         *
         * @param name 1 to 200 printable ASCII characters without spaces; the registry's builder checks it
         */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /** Uses TLS from the start of the connection, instead of STARTTLS. */
        public Builder tls() {
            encryption = Smtp.Encryption.TLS;
            return this;
        }

        /** Sends mail without encryption, for example to a relay on the same host. Cannot be combined with a login. */
        public Builder unencrypted() {
            encryption = Smtp.Encryption.NONE;
            return this;
        }

        /**
         * Sets the TLS context, for example to trust a private certificate authority. The default is the JDK's default
         * context.
         */
        public Builder sslContext(SSLContext context) {
            trust = context;
            return this;
        }

        /**
         * Sets the credentials with which this process logs in to the server; none by default.
         *
         * @param password read for each mail
         */
        public Builder login(String user, Secret password) {
            this.user = Objects.requireNonNull(user, "user");
            this.password = Objects.requireNonNull(password, "password");
            return this;
        }

        /**
         * Sets the sender; required.
         *
         * @param address such as {@code ostraka@example.com} or {@code Ostraka <ostraka@example.com>}
         * @throws IllegalArgumentException if the text is not a single address
         */
        public Builder from(String address) {
            from = address(address);
            return this;
        }

        /**
         * Adds default recipients, which receive the alarms of all jobs whose labels have no recipients of their own.
         * At least one is required.
         *
         * @throws IllegalArgumentException if a text is not a single address
         */
        public Builder to(String... addresses) {
            recipients.addAll(addresses(addresses));
            return this;
        }

        /**
         * Adds recipients for the alarms of jobs that have the given label. Example: {@code toLabel("owner",
         * "payments", "payments@example.com")}. If several labels of a job have recipients, all these recipients
         * receive the alarms of the job, but the default recipients do not.
         *
         * @throws IllegalArgumentException if a text is not a single address, or there is none
         */
        public Builder toLabel(String name, String value, String... addresses) {
            if (addresses.length == 0) {
                throw new IllegalArgumentException(
                        "the label " + name + "=" + value + " has no recipient; accepted: one or more");
            }
            byLabel.computeIfAbsent(new Label(name, value), each -> new ArrayList<>())
                    .addAll(addresses(addresses));
            return this;
        }

        /**
         * Sets the subject, with the placeholders of {@link AlarmTemplate}; {@value #SUBJECT} by default.
         *
         * @throws IllegalArgumentException if a placeholder is unknown, or is <code>${secret}</code>
         */
        public Builder subject(String template) {
            AlarmTemplate parsed = AlarmTemplate.text(template);
            if (parsed.usesSecret()) {
                throw new IllegalArgumentException("the subject has the placeholder ${secret}; accepted: all others");
            }
            subject = parsed;
            return this;
        }

        /**
         * Builds the handler. Does not connect to the server.
         *
         * @throws IllegalArgumentException if the sender or the default recipients are missing, or if there is a login
         *     without encryption
         */
        public MailAlarmHandler build() {
            if (from == null || recipients.isEmpty()) {
                throw new IllegalArgumentException("the mail of alarms has "
                        + (from == null ? "no sender" : "no recipient")
                        + "; accepted: one sender (from) and at least one recipient (to)");
            }
            if (user != null && encryption == Smtp.Encryption.NONE) {
                throw new IllegalArgumentException("the mail of alarms has a login on an unencrypted connection;"
                        + " accepted: a login with STARTTLS or TLS, or no login");
            }
            return new MailAlarmHandler(this);
        }

        private static List<InternetAddress> addresses(String... texts) {
            return Arrays.stream(texts).map(Builder::address).toList();
        }

        private static InternetAddress address(String text) {
            try {
                InternetAddress[] parsed = InternetAddress.parse(text, true);
                if (parsed.length == 1 && !parsed[0].isGroup() && text.chars().noneMatch(Character::isISOControl)) {
                    parsed[0].validate();
                    if (parsed[0].getAddress().indexOf('@') > 0) {
                        return parsed[0];
                    }
                }
            } catch (AddressException e) {
                throw refused(text, e);
            }
            throw refused(text, null);
        }

        private static IllegalArgumentException refused(String text, @Nullable Exception cause) {
            return new IllegalArgumentException(
                    "'" + printable(text)
                            + "' is not a mail address; accepted: one address, such as payments@example.com",
                    cause);
        }
    }
}
