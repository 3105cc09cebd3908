/**
 * The process: its engine, registration, health and shutdown. Connects all other packages.
 *
 * <p>Terms in this package: the <em>instance's executor</em> is the serial executor that runs the steps of the whole
 * instance one after the other. A <em>resync</em> reads nodes again because events may have been lost; a <em>full</em>
 * resync reads all of them.
 */
@NullMarked
package io.ostraka.core.instance;

import org.jspecify.annotations.NullMarked;
