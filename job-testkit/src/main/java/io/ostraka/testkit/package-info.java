/** Support for tests without a server: a cluster in memory with manually driven time, and contract tests for stores. */
@NullMarked
package io.ostraka.testkit;

import org.jspecify.annotations.NullMarked;
