/**
 * The instance: its engine, registration, health and shutdown. Connects all other packages.
 *
 * <p>Terms in this package: The <em>instance's executor</em> is the serial executor that runs the steps of the whole
 * instance one after the other. A <em>resync</em> reads nodes again, because events may have been lost. A <em>full</em>
 * resync reads all nodes again.
 */
@NullMarked
package io.ostraka.core.instance;

import org.jspecify.annotations.NullMarked;
