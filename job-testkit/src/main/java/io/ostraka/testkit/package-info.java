/**
 * Support for tests of jobs without a server: an in-memory cluster with manually driven time.
 */
@NullMarked
package io.ostraka.testkit;

import org.jspecify.annotations.NullMarked;
