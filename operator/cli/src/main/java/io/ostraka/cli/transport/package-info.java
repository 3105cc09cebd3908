/** The connection to the API, through a console or directly through ZooKeeper: its settings, requests, answers and failures. */
@NullMarked
package io.ostraka.cli.transport;

import org.jspecify.annotations.NullMarked;
