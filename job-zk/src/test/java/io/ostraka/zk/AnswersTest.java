package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Outcome.Reason;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AnswersTest {
    private static List<OpResult> errors(Code... codes) {
        return Arrays.stream(codes)
                .<OpResult>map(code -> new OpResult.ErrorResult(code.intValue()))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "BADVERSION, BAD_VERSION",
        "NONODE, NO_NODE",
        "NODEEXISTS, NODE_EXISTS",
        "NOTEMPTY, NOT_EMPTY",
        "NOCHILDRENFOREPHEMERALS, REFUSED",
        "NOAUTH, REFUSED",
        "BADARGUMENTS, REFUSED",
        "QUOTAEXCEEDED, REFUSED"
    })
    void firstRealErrorIsTheCause(Code code, Reason reason) {
        List<OpResult> results = errors(Code.OK, code, Code.RUNTIMEINCONSISTENCY);

        assertThat(Answers.outcome(code.intValue(), results)).isEqualTo(new Outcome.Rejected(1, reason));
    }

    @ParameterizedTest
    @EnumSource(
            value = Code.class,
            names = {
                "CONNECTIONLOSS",
                "OPERATIONTIMEOUT",
                "REQUESTTIMEOUT",
                "SESSIONEXPIRED",
                "SESSIONMOVED",
                "AUTHFAILED"
            })
    void outcomeIsUnknownWithoutConnectionOrSession(Code code) {
        assertThat(Answers.outcome(code.intValue(), null)).isEqualTo(new Outcome.Unknown());
        assertThat(Answers.outcome(code.intValue(), List.of())).isEqualTo(new Outcome.Unknown());
        assertThat(Answers.outcome(code.intValue(), errors(code, Code.RUNTIMEINCONSISTENCY)))
                .isEqualTo(new Outcome.Unknown());
    }

    @Test
    void outcomeIsUnknownForErrorCodeOfNewerServer() {
        assertThat(Answers.outcome(-4711, null)).isEqualTo(new Outcome.Unknown());
    }

    @Test
    void rejectionOfWholeTransactionHasNoIndex() {
        assertThat(Answers.outcome(Code.MARSHALLINGERROR.intValue(), null))
                .isEqualTo(new Outcome.Rejected(-1, Reason.REFUSED));
    }

    @Test
    void transactionIdComesFromFirstWrite() {
        var stat = new Stat();
        stat.setMzxid(42);
        stat.setMtime(1_000);

        assertThat(Answers.outcome(
                        Code.OK.intValue(),
                        List.of(
                                new OpResult.CheckResult(),
                                new OpResult.CreateResult("/a"),
                                new OpResult.SetDataResult(stat))))
                .isEqualTo(new Outcome.Committed(42, Instant.ofEpochSecond(1)));
        assertThat(Answers.outcome(Code.OK.intValue(), List.of(new OpResult.DeleteResult())))
                .isEqualTo(new Outcome.Committed(0, Instant.EPOCH));
    }
}
