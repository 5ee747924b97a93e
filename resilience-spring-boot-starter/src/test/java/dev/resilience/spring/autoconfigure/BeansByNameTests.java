package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Spring finds a bean by the name of the parameter, or else looks through all beans of the application. */
class BeansByNameTests {

    private static final String SEVERAL = "several";

    private static final List<Method> BEANS = configurations()
            .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(method -> method.isAnnotationPresent(Bean.class))
            .toList();

    @Test
    void aParameterHasTheNameOfItsBeanUnlessTheApplicationMayBringAnother() {
        Map<Class<?>, String> names = new HashMap<>();
        for (Method bean : BEANS) {
            if (!bean.isAnnotationPresent(ConditionalOnMissingBean.class)
                    && bean.getReturnType().getName().startsWith("dev.resilience.")) {
                names.merge(bean.getReturnType(), bean.getName(), (one, another) -> SEVERAL);
            }
        }
        names.values().removeIf(SEVERAL::equals); // all of them are asked for
        assertThat(names).hasSizeGreaterThan(20);

        for (Method bean : BEANS) {
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
        assertThat(BEANS).extracting(Method::getName).doesNotContain("resilienceProperties", "resilienceConfig");
    }

    /** The classes of the package of the library, but for those whose library is not on this class path. */
    private static Stream<Class<?>> configurations() {
        Class<?> one = ResilienceAutoConfiguration.class;
        try {
            URI library =
                    one.getProtectionDomain().getCodeSource().getLocation().toURI();
            Path directory = Path.of(library).resolve(one.getPackageName().replace('.', '/'));
            try (Stream<Path> files = Files.list(directory)) {
                return files
                        .map(file -> file.getFileName().toString())
                        .filter(file ->
                                file.endsWith(".class") && !file.startsWith("package-") && !file.contains("Gateway"))
                        .map(file -> one.getPackageName() + "." + file.substring(0, file.length() - ".class".length()))
                        .<Class<?>>map(name -> ClassUtils.resolveClassName(name, null))
                        .toList()
                        .stream();
            }
        } catch (IOException | URISyntaxException failed) {
            throw new IllegalStateException(failed);
        }
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
