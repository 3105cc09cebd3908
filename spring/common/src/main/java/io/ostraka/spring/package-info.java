/**
 * Runs jobs in a Spring Boot application: beans and methods become jobs, properties configure them, and the application
 * context starts and stops the instance. The classes here work with every supported line of Spring Boot.
 */
@NullMarked
package io.ostraka.spring;

import org.jspecify.annotations.NullMarked;
