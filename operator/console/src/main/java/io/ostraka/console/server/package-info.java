/** The console as a process of its own: its settings, its HTTP server and its connections. */
@NullMarked
package io.ostraka.console.server;

import org.jspecify.annotations.NullMarked;
