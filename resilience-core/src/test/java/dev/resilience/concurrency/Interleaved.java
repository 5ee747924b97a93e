package dev.resilience.concurrency;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * A test of what threads do to each other, run with each of {@link Interleavings}. The model checker takes seconds to
 * begin: without {@code -Plong} it runs the tests that ask for it, at least one in each class.
 *
 * <p>{@code -Dinterleavings=stressed} and {@code -Dinterleavings=model-checked} run one of the two. The build gives
 * each a JVM of its own: in a JVM that sees one processor the model checker does not spin, and stress would not overlap
 * its threads.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Tag("interleaved")
@ParameterizedTest(allowZeroInvocations = true)
@ArgumentsSource(Interleaved.Modes.class)
public @interface Interleaved {

    /** Whether the model checker runs this test in every build. */
    boolean alwaysModelChecked() default false;

    /** The modes of a test in this build. */
    final class Modes implements ArgumentsProvider, AnnotationConsumer<Interleaved> {

        private boolean modelChecked;

        @Override
        public void accept(Interleaved test) {
            modelChecked = test.alwaysModelChecked() || Effort.LONG;
        }

        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            return Stream.of(Interleavings.values())
                    .filter(mode -> modelChecked || mode != Interleavings.MODEL_CHECKED)
                    .filter(Interleavings::isWanted)
                    .map(Arguments::of);
        }
    }
}
