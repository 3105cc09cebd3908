/** The network between clients and servers, with faults on command. */
@NullMarked
package io.ostraka.testkit.net;

import org.jspecify.annotations.NullMarked;
