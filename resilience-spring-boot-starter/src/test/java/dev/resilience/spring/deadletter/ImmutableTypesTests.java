package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;

class ImmutableTypesTests {

    record Category(String name, Optional<Category> parent) {}

    record Article(String name, Optional<Integer> price) {}

    record Basket(List<String> articles) {}

    @Test
    void aRecordThatMayContainItselfIsLookedIntoOnce() {
        assertThat(ImmutableTypes.contain(ResolvableType.forClass(Category.class)))
                .isFalse();
    }

    @Test
    void aRecordOfImmutableValuesNeverChanges() {
        assertThat(ImmutableTypes.contain(ResolvableType.forClass(Article.class)))
                .isTrue();
        assertThat(ImmutableTypes.contain(ResolvableType.forClass(Basket.class)))
                .isFalse();
    }
}
