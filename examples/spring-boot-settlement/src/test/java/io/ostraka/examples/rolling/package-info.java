/**
 * Restarts the processes of the settlement application under load, and judges the runs that they have recorded. The package
 * is beside the application's, so that only {@link RecordedApplication} has the recorder.
 */
@NullMarked
package io.ostraka.examples.rolling;

import org.jspecify.annotations.NullMarked;
