package dev.resilience.sample.shop;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClientException;

/** Answers for the gateway when it failed. Refusals of the shop's own policies are answered by the starter. */
@RestControllerAdvice
class PaymentFailureAdvice {

    @ExceptionHandler
    ProblemDetail onFailure(RestClientException failure) {
        return isDeclined(failure)
                ? ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, "The payment was declined")
                : ProblemDetail.forStatusAndDetail(HttpStatus.BAD_GATEWAY, "The payment gateway does not work");
    }

    private static boolean isDeclined(RestClientException failure) {
        return failure instanceof HttpClientErrorException answer
                && answer.getStatusCode().isSameCodeAs(HttpStatus.PAYMENT_REQUIRED);
    }
}
