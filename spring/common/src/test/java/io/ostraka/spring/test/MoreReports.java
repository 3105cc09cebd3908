package io.ostraka.spring.test;

import org.springframework.stereotype.Component;

/** Inherits its job. */
@Component
class MoreReports extends Reports.Inherited {
    MoreReports(Settlement.Orders orders) {
        super(orders);
    }
}
