package io.ostraka.bench;

import java.util.List;

/**
 * The outcome of one scenario in one run. Each outcome is stored as a line of JSON, so that a report can cover several
 * runs.
 *
 * @param title title of the scenario; a later outcome with the same title replaces this one
 * @param at time at which the run began
 * @param conditions conditions of the run
 * @param results results of all rounds
 * @param bounds the judged bounds
 */
record Outcome(String title, String at, String conditions, Results results, List<Bound> bounds) {}
