/** Tests of the jobs of a Spring Boot application. */
@NullMarked
package io.ostraka.spring.test;

import org.jspecify.annotations.NullMarked;
