/** The command line {@code ostraka}: all operations as commands, through the REST API or directly through ZooKeeper. */
@NullMarked
package io.ostraka.cli;

import org.jspecify.annotations.NullMarked;
