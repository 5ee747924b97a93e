package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.Callee;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.webflux.autoconfigure.HttpHandlerAutoConfiguration;
import org.springframework.boot.webflux.autoconfigure.WebFluxAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.result.method.annotation.ResponseEntityExceptionHandler;
import reactor.core.publisher.Mono;

class ReactiveApplicationHandlersTests extends ApplicationHandlersContract {

    @Test
    void springsBaseClassForHandlersLeavesRefusalsToTheLibrary() {
        assertThat(answer("/open", new SpringsExceptions())).isEqualTo("503 urn:resilience:problem:circuit-open");
    }

    @Test
    void aFailedMonoIsAnsweredAsAThrownRefusal() {
        assertThat(answer("/mono", new ForExceptions(Ordered.HIGHEST_PRECEDENCE)))
                .isEqualTo("503 urn:resilience:problem:circuit-open");
        assertThat(answer("/mono", new ForOpenCircuits(Ordered.LOWEST_PRECEDENCE)))
                .isEqualTo("410 open");
    }

    @Override
    List<String> answers(List<String> paths, Object... advices) {
        return answers(paths, with(application(), advices));
    }

    @Override
    String answerWithParent(String path, Class<?> adviceOfParent) {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext(adviceOfParent)) {
            return answers(List.of(path), application().withParent(parent)).get(0);
        }
    }

    private static ReactiveWebApplicationContextRunner application() {
        return new ReactiveWebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        CodecsAutoConfiguration.class,
                        HttpHandlerAutoConfiguration.class,
                        WebFluxAutoConfiguration.class))
                .withBean(ManualTimeSource.class)
                .withBean(Callee.class)
                .withUserConfiguration(
                        Shop.class, HelpDesk.class, SelfHelp.class, SelfHelpForAll.class, ReactiveShop.class);
    }

    @SuppressWarnings("unchecked") // the supplier gives what the class says
    private static ReactiveWebApplicationContextRunner with(
            ReactiveWebApplicationContextRunner application, Object... beans) {
        ReactiveWebApplicationContextRunner result = application;
        for (Object bean : beans) {
            result = result.withBean((Class<Object>) bean.getClass(), () -> bean);
        }
        return result;
    }

    private static List<String> answers(List<String> paths, ReactiveWebApplicationContextRunner application) {
        List<String> answers = new ArrayList<>();
        application.run(context -> {
            WebTestClient client =
                    WebTestClient.bindToApplicationContext(context).build();
            paths.forEach(path -> answers.add(answer(client, path)));
        });
        return answers;
    }

    private static String answer(WebTestClient client, String path) {
        EntityExchangeResult<byte[]> result =
                client.get().uri(path).exchange().expectBody().returnResult();
        byte[] body = Objects.requireNonNullElse(result.getResponseBody(), new byte[0]);
        return result.getStatus().value() + " "
                + new String(body, StandardCharsets.UTF_8).replaceAll(".*\"type\":\"([^\"]*)\".*", "$1");
    }

    @RestController
    static class ReactiveShop {

        @GetMapping("/mono")
        Mono<String> sell() {
            return Mono.error(open());
        }
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class SpringsExceptions extends ResponseEntityExceptionHandler {}
}
