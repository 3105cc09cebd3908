package io.ostraka.mail;

import io.ostraka.api.Alarm;
import jakarta.mail.Address;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Date;
import java.util.HexFormat;

/**
 * One mail about an alarm.
 *
 * @param subject subject; control characters in it are replaced
 * @param body plain text
 */
record Mail(InternetAddress from, Address[] to, String subject, String body, Alarm alarm) {
    private static final String UTF_8 = StandardCharsets.UTF_8.name();
    /**
     * Control characters, which could begin another header, and separators that some mail programs treat as line ends.
     */
    private static final String CONTROL = "[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]+";

    /** A message that keeps the given id. Jakarta Mail would otherwise set a new one when it sends the message. */
    private static final class Identified extends MimeMessage {
        private final String id;

        Identified(Session session, String id) {
            super(session);
            this.id = id;
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            setHeader("Message-ID", id);
        }
    }

    /** Returns the message. It depends on the alarm alone, so a repeated mail is equal to the first one. */
    MimeMessage message(Session session) throws MessagingException {
        MimeMessage message = new Identified(session, id(alarm.idempotencyKey()));
        message.setFrom(from);
        message.setRecipients(Message.RecipientType.TO, to);
        message.setSubject(subject.replaceAll(CONTROL, " ").strip(), UTF_8);
        message.setSentDate(Date.from(alarm.at()));
        message.setText(body, UTF_8);
        message.setHeader("Auto-Submitted", "auto-generated"); // prevents automatic replies, such as holiday notices
        message.setHeader("Ostraka-Delivery", alarm.idempotencyKey().replaceAll("[^\\x21-\\x7e]", "?"));
        if (alarm.state() == Alarm.State.RESOLVED) {
            String beginning = id(alarm.id() + "/" + Alarm.State.FIRING);
            message.setHeader("In-Reply-To", beginning);
            message.setHeader("References", beginning);
        }
        message.saveChanges();
        return message;
    }

    /**
     * Returns the {@code Message-ID} for a key. It contains a hash of the key, because a key may contain characters
     * that are not permitted there.
     */
    private String id(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest((alarm.namespace() + "\n" + key).getBytes(StandardCharsets.UTF_8));
            String address = from.getAddress();
            return "<ostraka." + HexFormat.of().formatHex(hash, 0, 16) + address.substring(address.lastIndexOf('@'))
                    + ">";
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
