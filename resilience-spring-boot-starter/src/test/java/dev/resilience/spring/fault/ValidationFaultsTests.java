package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.Validation;
import jakarta.validation.ValidationException;
import jakarta.validation.Validator;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.Future;
import jakarta.validation.constraints.Min;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.http.MediaType;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.validation.BindException;
import org.springframework.validation.beanvalidation.SpringValidatorAdapter;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.annotation.HandlerMethodValidationException;

/** What is not valid now is not valid a second later: with a real validator, by itself and behind Spring MVC. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
class ValidationFaultsTests {

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    @Test
    void ofAValidatorIsPermanent() {
        try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
            Validator validator = factory.getValidator();
            ConstraintViolationException failure = new ConstraintViolationException(validator.validate(new Order(0)));

            assertThat(failure.getConstraintViolations()).hasSize(1);
            assertPermanent(failure);
            assertPermanent(new CompletionException(failure));
        }
    }

    @Test
    void thatCannotWorkIsPermanent() {
        try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
            Validator validator = factory.getValidator();
            Throwable failure = catchThrowable(() -> validator.validateProperty(new Wrong("text"), "text"));

            assertThat(failure).isInstanceOf(ValidationException.class);
            assertPermanent(failure);
        }
    }

    @Test
    void ofARequestsBodyIsPermanent() throws Exception {
        Throwable failure =
                resolved(post("/orders").contentType(MediaType.APPLICATION_JSON).content("{\"quantity\": 0}"));

        assertThat(failure).isInstanceOf(MethodArgumentNotValidException.class);
        assertPermanent(failure);
    }

    @Test
    void ofARequestsParameterIsPermanent() throws Exception {
        Throwable failure = resolved(get("/orders").param("page", "0"));

        assertThat(failure).isInstanceOf(HandlerMethodValidationException.class);
        assertPermanent(failure);
    }

    @Test
    void ofAFormIsPermanent() {
        try (ValidatorFactory factory = Validation.buildDefaultValidatorFactory()) {
            Order order = new Order(0);
            BindException failure = new BindException(order, "order");
            new SpringValidatorAdapter(factory.getValidator()).validate(order, failure);

            assertThat(failure.getErrorCount()).isEqualTo(1);
            assertPermanent(failure);
        }
    }

    private void assertPermanent(Throwable failure) {
        assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(PERMANENT);
    }

    private static Throwable resolved(RequestBuilder request) throws Exception {
        MockMvc mvc = MockMvcBuilders.standaloneSetup(new Orders()).build();
        return mvc.perform(request).andReturn().getResolvedException();
    }

    record Order(@Min(1) int quantity) {}

    /** A constraint on a type that it is not for. */
    record Wrong(@Future String text) {}

    @RestController
    static class Orders {

        @PostMapping("/orders")
        public void place(@Valid @RequestBody Order order) {}

        @GetMapping("/orders")
        public void list(@RequestParam @Min(1) int page) {}
    }
}
