package dev.resilience.spring.reactor;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;

/** Publishers of another library than Reactor: what attempts return becomes a publisher, and what protects them that type. */
record AdaptedPublishers(ReactiveAdapter adapter, ProtectedPublishers ofReactor) implements ProtectedPublishers {

    @Override
    public Object assemble(Pipeline pipeline, Function<PublisherCall, Invocation> calls) {
        Object assembled = ofReactor.assemble(pipeline, call -> calls.apply(new AdaptedCall(adapter, call)));
        return adapter.fromPublisher((Publisher<?>) assembled);
    }

    private record AdaptedCall(ReactiveAdapter adapter, PublisherCall call) implements PublisherCall {

        @Override
        public CompletionStage<?> begin(@Nullable Object publisher) {
            return call.begin(adapted(publisher));
        }

        @Override
        public CompletionStage<?> answer(@Nullable Object returned) {
            return call.answer(adapted(returned));
        }

        /** The adapter would make an empty publisher of {@code null}, which is a mistake of the method's. */
        private @Nullable Object adapted(@Nullable Object returned) {
            return adapter.getReactiveType().isInstance(returned) ? adapter.toPublisher(returned) : returned;
        }

        @Override
        public @Nullable Object exchange() {
            return call.exchange();
        }

        @Override
        public boolean endAttempt() {
            return call.endAttempt();
        }
    }
}
