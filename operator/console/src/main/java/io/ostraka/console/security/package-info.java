/** Security of the console: authentication, grants, and protection against other sites. Independent of the transport. */
@NullMarked
package io.ostraka.console.security;

import org.jspecify.annotations.NullMarked;
