package io.ostraka.bench;

import java.util.List;

/**
 * What one scenario came to in one run; kept as a line of JSON, so that a report can be made of several runs.
 *
 * @param title of the scenario, by which a later outcome of it takes this one's place
 * @param at when the run began
 * @param conditions of the run
 * @param results of all its rounds
 * @param bounds as they were judged
 */
record Outcome(String title, String at, String conditions, Results results, List<Bound> bounds) {}
