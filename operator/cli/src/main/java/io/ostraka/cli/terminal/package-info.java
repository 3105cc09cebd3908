/** Input and output for people and programs: tables, colours, times, JSON and YAML. */
@NullMarked
package io.ostraka.cli.terminal;

import org.jspecify.annotations.NullMarked;
