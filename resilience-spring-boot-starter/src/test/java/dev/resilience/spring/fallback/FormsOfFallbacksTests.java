package dev.resilience.spring.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceConfigurationException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Which methods may be a fallback, which may not, and what the startup says of these. */
class FormsOfFallbacksTests {

    static Stream<Arguments> refused() {
        return RefusedFallbacks.messages().entrySet().stream()
                .map(one -> Arguments.argumentSet(one.getKey().getSimpleName(), one.getKey(), one.getValue()));
    }

    /** In one application, which starts with all of them. */
    @Test
    void matching() {
        Map<Class<?>, Object> answers = MatchingFallbacks.answers();
        Applications.plain(answers.keySet().toArray(Class<?>[]::new)).run(context -> {
            assertThat(context).hasNotFailed();
            SoftAssertions.assertSoftly(each -> answers.forEach((bean, answer) -> each.assertThatCode(
                            () -> assertThat(sell(only(context, bean))).isEqualTo(answer))
                    .as(bean.getSimpleName())
                    .doesNotThrowAnyException()));
        });
    }

    @ParameterizedTest
    @MethodSource
    void refused(Class<?> bean, String message) {
        Applications.plain(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContainingAll("The fallback", bean.getName() + ".sell(", message));
    }

    /** The bean of this class and not of a subclass. */
    private static Object only(ListableBeanFactory beans, Class<?> type) {
        return beans.getBeansOfType(type).values().stream()
                .filter(bean -> ClassUtils.getUserClass(bean) == type)
                .findFirst()
                .orElseThrow();
    }

    private static Object sell(Object bean) throws ReflectiveOperationException {
        Method sell = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(ClassUtils.getUserClass(bean)))
                .filter(method -> method.getName().equals("sell"))
                .findFirst()
                .orElseThrow();
        ReflectionUtils.makeAccessible(sell);
        Object answer = sell.invoke(
                bean,
                Arrays.stream(sell.getGenericParameterTypes())
                        .map(FormsOfFallbacksTests::argument)
                        .toArray());
        return answer instanceof CompletionStage<?> stage
                ? stage.toCompletableFuture().join()
                : answer;
    }

    private static Object argument(Type type) {
        return switch (type.getTypeName()) {
            case "java.lang.String" -> "tea";
            case "int" -> 2;
            case "java.lang.Exception" -> new IllegalStateException();
            case "java.lang.Long[]" -> new Long[] {3L, 4L};
            case "java.lang.String[][]" -> new String[][] {{"tea"}};
            case "java.util.List<java.util.Set<java.lang.String>>" -> List.of(Set.of("tea"));
            case "java.util.List<? extends java.lang.Integer>" -> List.of(3);
            default -> type.getTypeName().startsWith("java.util.List") ? List.of("tea") : 3L;
        };
    }
}
