package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.resilience.annotation.Idempotent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Results that are read otherwise than they look at first sight, and come back all the same. */
class AnnotatedResultTests {

    @Test
    void partsThatAreWrittenBesideTheOthers() {
        IdempotentApplication.with(Shop.class, shop -> {
            Parcel first = shop.parcel("k");
            assertThat(shop.parcel("k")).isEqualTo(first).isNotSameAs(first);
            assertThat(shop.letter("k").getSize()).isEqualTo(shop.letter("k").getSize());
            assertThat(shop.calls()).hasValue(2);
        });
    }

    @Test
    void aPropertyThatIsStillReadByItsOldName() {
        IdempotentApplication.with(Shop.class, shop -> {
            assertThat(shop.label("k").getText()).isEqualTo("k");
            assertThat(shop.label("k").getText()).isEqualTo("k");
            assertThat(shop.calls()).hasValue(1);
        });
    }

    @Test
    void parentsOfTheirChildren() {
        IdempotentApplication.with(Shop.class, shop -> {
            Parent first = shop.parent("k");
            Parent second = shop.parent("k");
            assertThat(second).isNotSameAs(first);
            assertThat(second.getChildren()).singleElement().satisfies(child -> {
                assertThat(child.getName()).isEqualTo("Ann");
                assertThat(child.getParent()).isSameAs(second);
            });
        });
    }

    @Test
    void anObjectWhosePropertiesAreNotKnownBeforehand() {
        IdempotentApplication.with(Shop.class, shop -> {
            assertThat(shop.extras("k").all()).containsEntry("colour", "k");
            assertThat(shop.extras("k").all()).containsEntry("colour", "k");
            assertThat(shop.calls()).hasValue(1);
        });
    }

    @Test
    void aSubclassThatSaysWhatItIs() {
        IdempotentApplication.with(Shop.class, shop -> {
            Order first = shop.order("k");
            assertThat(shop.order("k"))
                    .isNotSameAs(first)
                    .isInstanceOfSatisfying(
                            RushOrder.class, rush -> assertThat(rush.by).isEqualTo("k"));
            assertThat(shop.calls()).hasValue(1);
        });
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    @JsonSubTypes(@JsonSubTypes.Type(RushOrder.class))
    public static class Order {

        public int number = 1;
    }

    public static class RushOrder extends Order {

        public String by = "";
    }

    record Size(int width, int height) {}

    record Parcel(@JsonUnwrapped Size size, int weight) {}

    public static class Letter {

        @JsonUnwrapped
        private Size size = new Size(0, 0);

        public Size getSize() {
            return size;
        }

        public void setSize(Size size) {
            this.size = size;
        }
    }

    public static class Label {

        private String text = "";

        public String getText() {
            return text;
        }

        public void setText(String text) {
            this.text = text;
        }

        /** As it was called once. */
        public void setCaption(String caption) {
            this.text = caption;
        }
    }

    public static class Extras {

        private final Map<String, String> all = new LinkedHashMap<>();

        @JsonAnyGetter
        public Map<String, String> all() {
            return all;
        }

        @JsonAnySetter
        public void put(String name, String value) {
            all.put(name, value);
        }
    }

    public static class Parent {

        @JsonManagedReference
        private List<Child> children = new ArrayList<>();

        public List<Child> getChildren() {
            return children;
        }

        public void setChildren(List<Child> children) {
            this.children = children;
        }
    }

    public static class Child {

        private String name = "";

        @JsonBackReference
        private @Nullable Parent parent;

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public @Nullable Parent getParent() {
            return parent;
        }

        public void setParent(Parent parent) {
            this.parent = parent;
        }
    }

    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(key = "#key")
        Parcel parcel(String key) {
            return new Parcel(new Size(1, 2), calls.incrementAndGet());
        }

        @Idempotent(key = "#key")
        Letter letter(String key) {
            Letter letter = new Letter();
            letter.setSize(new Size(3, calls.incrementAndGet()));
            return letter;
        }

        @Idempotent(key = "#key")
        Order order(String key) {
            calls.incrementAndGet();
            RushOrder order = new RushOrder();
            order.by = key;
            return order;
        }

        @Idempotent(key = "#key")
        Label label(String key) {
            calls.incrementAndGet();
            Label label = new Label();
            label.setText(key);
            return label;
        }

        @Idempotent(key = "#key")
        Extras extras(String key) {
            calls.incrementAndGet();
            Extras extras = new Extras();
            extras.put("colour", key);
            return extras;
        }

        @Idempotent(key = "#key")
        Parent parent(String key) {
            Child child = new Child();
            child.setName("Ann");
            Parent parent = new Parent();
            parent.setChildren(List.of(child));
            child.setParent(parent);
            return parent;
        }
    }
}
