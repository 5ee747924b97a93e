package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kinds;
import java.util.List;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The kinds of policies that the library has, for tests without an application. */
public final class KindsOfTheLibrary {

    private KindsOfTheLibrary() {}

    public static List<ConfiguredKind<?, ?, ?>> all() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(ResilienceAutoConfiguration.class)) {
            return context.getBean(Kinds.class).configured();
        }
    }

    public static ConfiguredKind<?, ?, ?> of(String id) {
        return all().stream().filter(kind -> kind.id().equals(id)).findFirst().orElseThrow();
    }
}
