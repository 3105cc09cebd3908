package io.ostraka.mail;

import io.ostraka.api.Secret;
import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.MimeMessage;
import java.util.Arrays;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends mails to one SMTP server, each over a connection of its own. Thread-safe. */
final class Smtp {
    private static final Logger log = LoggerFactory.getLogger(Smtp.class);
    private static final String CONNECTING_MILLIS = "5000";
    private static final String ANSWER_MILLIS = "10000";
    private static final String ON = "true";

    private final Server server;
    private final Session session;

    enum Encryption {
        STARTTLS,
        TLS,
        NONE
    }

    /**
     * The server and the settings of the connection to it.
     *
     * @param trust TLS context of encrypted connections; null for the JDK's default
     * @param user user name for the login; null for no login
     * @param password password for the login; null if there is no user
     */
    record Server(
            String host,
            int port,
            Encryption encryption,
            @Nullable SSLContext trust,
            @Nullable String user,
            @Nullable Secret password) {}

    Smtp(Server server) {
        this.server = server;
        Properties properties = new Properties();
        properties.setProperty("mail.smtp.connectiontimeout", CONNECTING_MILLIS);
        properties.setProperty("mail.smtp.timeout", ANSWER_MILLIS);
        properties.setProperty("mail.smtp.writetimeout", ANSWER_MILLIS);
        properties.setProperty("mail.smtp.sendpartial", ON); // a wrong address must not affect the other recipients
        properties.setProperty("mail.smtp.quitwait", "false"); // the server has already accepted the mail
        properties.setProperty("mail.smtp.auth", Boolean.toString(server.user() != null));
        properties.setProperty("mail.smtp.ssl.checkserveridentity", ON);
        if (server.encryption() == Encryption.STARTTLS) {
            properties.setProperty("mail.smtp.starttls.enable", ON);
            properties.setProperty("mail.smtp.starttls.required", ON);
        } else if (server.encryption() == Encryption.TLS) {
            properties.setProperty("mail.smtp.ssl.enable", ON);
        }
        if (server.trust() != null) {
            properties.put("mail.smtp.ssl.socketFactory", server.trust().getSocketFactory());
        }
        this.session = Session.getInstance(properties);
    }

    /**
     * Sends a mail. If the server refuses only some of the recipients, logs them, because a repetition would reach the
     * others again.
     *
     * @throws MessagingException if the server does not accept the mail for any recipient
     */
    void send(Mail mail) throws MessagingException {
        MimeMessage message = mail.message(session);
        Transport transport = session.getTransport("smtp");
        try {
            connect(transport);
            transport.sendMessage(message, message.getAllRecipients());
        } catch (SendFailedException e) {
            if (e.getValidSentAddresses() == null || e.getValidSentAddresses().length == 0) {
                throw e;
            }
            log.warn(
                    "{} accepted alarm {} for {} recipients, but not for {}; correct these addresses",
                    this,
                    mail.alarm().idempotencyKey(),
                    e.getValidSentAddresses().length,
                    refused(e));
        } finally {
            close(transport);
        }
    }

    private void close(Transport transport) {
        try {
            transport.close();
        } catch (MessagingException e) { // the server has already accepted or refused the mail
            log.debug("{} did not end the connection in order: {}", this, MailAlarmHandler.printable(e.toString()));
        }
    }

    private void connect(Transport transport) throws MessagingException {
        Secret password = server.password();
        char[] text = password == null ? null : password.read();
        try {
            transport.connect(server.host(), server.port(), server.user(), text == null ? null : new String(text));
        } catch (AuthenticationFailedException e) { // its texts quote the SMTP dialogue, so they are dropped
            MessagingException failed = new MessagingException(
                    "the login of user " + server.user() + " failed; check the user and the password");
            failed.setStackTrace(e.getStackTrace());
            throw failed;
        } finally {
            if (text != null) {
                Arrays.fill(text, '\0');
            }
        }
    }

    private static String refused(SendFailedException e) {
        Address[] invalid = e.getInvalidAddresses();
        Address[] unsent = e.getValidUnsentAddresses();
        return (invalid == null ? "" : Arrays.toString(invalid)) + (unsent == null ? "" : Arrays.toString(unsent));
    }

    @Override
    public String toString() {
        return "the SMTP server " + server.host() + ":" + server.port();
    }
}
