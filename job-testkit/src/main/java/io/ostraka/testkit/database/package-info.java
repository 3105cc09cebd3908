/** Database servers for tests. */
@NullMarked
package io.ostraka.testkit.database;

import org.jspecify.annotations.NullMarked;
