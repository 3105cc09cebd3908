package io.ostraka.console.server;

import io.ostraka.console.Problem;
import io.ostraka.console.Response;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers requests that Jetty itself refuses, for example because they are not HTTP, with a problem document. */
final class ProblemPages implements Request.Handler {
    @Override
    public boolean handle(Request request, org.eclipse.jetty.server.Response response, Callback callback) {
        Object cause = request.getAttribute(ErrorHandler.ERROR_EXCEPTION);
        Response answer = problem(response.getStatus(), cause).response().with("Connection", "close");
        Exchange.write(response, answer, callback);
        return true;
    }

    private static Problem problem(int status, Object cause) {
        if (cause instanceof TimeoutException) {
            return new Problem(Problem.Code.TIMEOUT, "the request did not arrive in time; send it again");
        }
        boolean refused = status >= HttpStatus.BAD_REQUEST_400 && status < HttpStatus.INTERNAL_SERVER_ERROR_500;
        if (refused || status == HttpStatus.HTTP_VERSION_NOT_SUPPORTED_505) {
            String detail =
                    status == HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431 || status == HttpStatus.URI_TOO_LONG_414
                            ? "the request line and the headers have more than " + Limits.HEADERS + " bytes"
                            : "the request is not correct HTTP/1.1";
            return new Problem(Problem.Code.BAD_REQUEST, detail);
        }
        if (status == HttpStatus.SERVICE_UNAVAILABLE_503) {
            return new Problem(Problem.Code.UNAVAILABLE, "the console is stopping; nothing was done")
                    .header("Retry-After", "1");
        }
        return new Problem(Problem.Code.INTERNAL_ERROR, "the request failed; the log of the console has the cause");
    }
}
