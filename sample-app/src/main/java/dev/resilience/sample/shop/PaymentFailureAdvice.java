package dev.resilience.sample.shop;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestClientResponseException;

/** Answers for the gateway when it failed. Refusals of the shop's own policies are answered by the starter. */
@RestControllerAdvice
class PaymentFailureAdvice {

    @ExceptionHandler
    ProblemDetail onFailure(RestClientException failure) {
        Story.ofThisRequest().endedWith(failure);
        return switch (statusOf(failure)) {
            case 402 -> problem(HttpStatus.PAYMENT_REQUIRED, "The payment was declined");
            case 422 -> problem(HttpStatus.UNPROCESSABLE_CONTENT, "The key has paid for another order");
            default ->
                problem(
                        HttpStatus.BAD_GATEWAY,
                        "The payment gateway does not work: " + GatewayFailure.inWords(failure));
        };
    }

    private static ProblemDetail problem(HttpStatus status, String detail) {
        return ProblemDetail.forStatusAndDetail(status, detail);
    }

    private static int statusOf(RestClientException failure) {
        return failure instanceof RestClientResponseException answer
                ? answer.getStatusCode().value()
                : 0;
    }
}
