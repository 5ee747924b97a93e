package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.ResolvableType;

/** Spring finds a bean by the name of the parameter, or else looks through all beans of the application. */
class BeansByNameTests {

    private final List<Method> beans = new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .importPackages("dev.resilience.spring.autoconfigure")
                    .stream()
                    .filter(type -> !type.getName().contains("Gateway")) // whose library is not on this class path
                    .map(JavaClass::reflect)
                    .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                    .filter(method -> method.isAnnotationPresent(Bean.class))
                    .toList();

    @Test
    void aParameterHasTheNameOfItsBeanUnlessTheApplicationMayBringAnother() {
        Map<Class<?>, String> names = new HashMap<>();
        for (Method bean : beans) {
            if (!bean.isAnnotationPresent(ConditionalOnMissingBean.class)
                    && bean.getReturnType().getName().startsWith("dev.resilience.")) {
                names.put(bean.getReturnType(), bean.getName());
            }
        }
        assertThat(names).hasSizeGreaterThan(20);

        for (Method bean : beans) {
            for (Parameter parameter : bean.getParameters()) {
                Class<?> type = type(parameter);
                assertThat(parameter.getName())
                        .as("%s of %s", type.getSimpleName(), bean)
                        .isEqualTo(names.getOrDefault(type, parameter.getName()));
            }
        }
    }

    /** An application may well have properties of that name for itself. */
    @Test
    void aNameThatAnApplicationWouldChooseIsNotTaken() {
        assertThat(beans).extracting(Method::getName).doesNotContain("resilienceProperties", "resilienceConfig");
    }

    private static Class<?> type(Parameter parameter) {
        boolean provided = parameter.getType() == ObjectProvider.class;
        return provided
                ? ResolvableType.forType(parameter.getParameterizedType())
                        .getGeneric()
                        .toClass()
                : parameter.getType();
    }
}
