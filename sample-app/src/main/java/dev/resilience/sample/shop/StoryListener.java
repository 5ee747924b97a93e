package dev.resilience.sample.shop;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import org.springframework.stereotype.Component;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Adds each event to the story of the request that caused it. Events come on the thread of their call; those outside
 * requests belong to no order.
 */
@Component
class StoryListener implements ResilienceListener {

    @Override
    public void onEvent(ResilienceEvent event) {
        if (RequestContextHolder.getRequestAttributes() != null) {
            Story.ofThisRequest().add(event);
        }
    }
}
