/** The engine's interface to the coordination service: its operations, transactions and their results. */
@NullMarked
package io.ostraka.core.coordination;

import org.jspecify.annotations.NullMarked;
