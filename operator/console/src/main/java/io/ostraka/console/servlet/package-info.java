/** The operations in the servlet container of an application, which authenticates the callers. */
@NullMarked
package io.ostraka.console.servlet;

import org.jspecify.annotations.NullMarked;
