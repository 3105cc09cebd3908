/** Sends alarms as mail. */
@NullMarked
package io.ostraka.mail;

import org.jspecify.annotations.NullMarked;
