/** Proxies between clients and servers that cause network faults for tests. */
@NullMarked
package io.ostraka.testkit.net;

import org.jspecify.annotations.NullMarked;
