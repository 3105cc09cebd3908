/**
 * Support for tests without a server: an in-memory cluster with manually driven time, and contract tests for stores.
 */
@NullMarked
package io.ostraka.testkit;

import org.jspecify.annotations.NullMarked;
