/** The process: its engine, registration, health and shutdown. It wires the other packages together. */
@NullMarked
package io.ostraka.core.instance;

import org.jspecify.annotations.NullMarked;
