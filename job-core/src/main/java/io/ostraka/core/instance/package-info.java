/** The process: its engine, registration, health and shutdown. Wires the other packages together. */
@NullMarked
package io.ostraka.core.instance;

import org.jspecify.annotations.NullMarked;
