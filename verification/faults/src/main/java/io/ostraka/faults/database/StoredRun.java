package io.ostraka.faults.database;

import io.ostraka.faults.history.Item;

/**
 * A row of the table {@code item_run}.
 *
 * @param nonce unique identifier of the claim
 * @param fire identity of the fire
 * @param owner id of the instance that made the claim
 * @param number position of the claim among all claims of the item
 * @param owned true if the owner reported the outcome
 */
public record StoredRun(
        Item item,
        String nonce,
        String fire,
        String owner,
        long number,
        String outcome,
        boolean fenced,
        boolean owned) {}
