package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

class ServletApplicationHandlersTests extends ApplicationHandlersContract {

    @Test
    void springsBaseClassForHandlersLeavesRefusalsToTheLibrary() {
        assertThat(answer("/open", new SpringsExceptions())).isEqualTo("503 urn:resilience:problem:circuit-open");
    }

    @Test
    void bootsProblemDetailsForSpringsOwnExceptionsStayWhatTheyAre() {
        application()
                .withPropertyValues("spring.mvc.problemdetails.enabled=true")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    assertThat(answer(mvc, "/open")).isEqualTo("503 urn:resilience:problem:circuit-open");
                    assertThat(mvc.post().uri("/open")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
                    assertThat(mvc.get().uri("/priced")).hasStatus(HttpStatus.PAYMENT_REQUIRED);
                });
    }

    @Test
    void anApplicationMayReplaceTheHandlerByABeanOfItsOwn() {
        ResilienceExceptionHandler own = new ResilienceExceptionHandler();
        application()
                .withBean("own", ResilienceExceptionHandler.class, () -> own)
                .run(context -> {
                    assertThat(context)
                            .getBean(ResilienceExceptionHandler.class)
                            .isSameAs(own);
                    assertThat(answer(MockMvcTester.from(context), "/open"))
                            .isEqualTo("503 urn:resilience:problem:circuit-open");
                });
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

    private static WebApplicationContextRunner application() {
        return Web.application(Shop.class, HelpDesk.class, SelfHelp.class, SelfHelpForAll.class);
    }

    @SuppressWarnings("unchecked") // the supplier gives what the class says
    private static WebApplicationContextRunner with(WebApplicationContextRunner application, Object... beans) {
        WebApplicationContextRunner result = application;
        for (Object bean : beans) {
            result = result.withBean((Class<Object>) bean.getClass(), () -> bean);
        }
        return result;
    }

    private static List<String> answers(List<String> paths, WebApplicationContextRunner application) {
        List<String> answers = new ArrayList<>();
        application.run(context -> {
            for (String path : paths) {
                answers.add(answer(MockMvcTester.from(context), path));
            }
        });
        return answers;
    }

    private static String answer(MockMvcTester mvc, String path) throws Exception {
        MvcTestResult result = mvc.get().uri(path).exchange();
        String body = result.getResponse().getContentAsString();
        return result.getResponse().getStatus() + " " + body.replaceAll(".*\"type\":\"([^\"]*)\".*", "$1");
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class SpringsExceptions extends ResponseEntityExceptionHandler {}
}
