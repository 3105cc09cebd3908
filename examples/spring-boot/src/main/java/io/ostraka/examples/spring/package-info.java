/** The smallest Spring Boot application with a job. */
@NullMarked
package io.ostraka.examples.spring;

import org.jspecify.annotations.NullMarked;
