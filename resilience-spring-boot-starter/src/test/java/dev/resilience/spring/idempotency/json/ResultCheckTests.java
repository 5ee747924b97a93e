package dev.resilience.spring.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import java.beans.Transient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.std.StdSerializer;

/** What the declaration of a class tells about it is what Jackson would have told. */
class ResultCheckTests {

    private final JsonMapper mapper = StoreMapper.of(JsonMapper.builder()
            .addMixIn(MixedIn.class, WriteOnlyId.class)
            .addMixIn(Mixed.class, WithoutId.class)
            .addModule(new SimpleModule()
                    .addSerializer(new AmountSerializer())
                    .addDeserializer(Amount.class, new AmountDeserializer()))
            .build());

    @ParameterizedTest
    @ValueSource(
            classes = {
                Plain.class,
                Fields.class,
                Bean.class,
                Ignoring.class,
                Creator.class,
                Amount.class,
                Price.class,
                Node.class,
                Words.class,
                Extra.class
            })
    void aClassThatJacksonReadsBackIsFine(Class<?> type) {
        assertThat(ofJackson(type)).isNull();
        assertThat(new ResultCheck(mapper).whyNot(mapper.constructType(type))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Secret.class,
                Mixed.class,
                MixedIn.class,
                ByInterface.class,
                HalfIgnored.class,
                OnlyGetters.class,
                WithoutConstructor.class,
                WithoutAccessors.class,
                OfAnything.class,
                OfAnyThings.class,
                MapByNode.class,
                Inner.class,
                RenamedParameter.class,
                SameName.class,
                TwoSetters.class,
                SetterOfAnything.class,
                ByItself.class
            })
    void aClassThatJacksonDoesNotReadBackIsNot(Class<?> type) {
        assertThat(ofJackson(type)).isNotNull();
        assertThat(new ResultCheck(mapper).whyNot(mapper.constructType(type))).isEqualTo(ofJackson(type));
    }

    static Stream<Arguments> mappers() {
        JsonMapper.Builder hiding = JsonMapper.builder()
                .changeDefaultVisibility(all -> all.withVisibility(PropertyAccessor.ALL, Visibility.NONE));
        JsonMapper.Builder snakeCase = JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
        JsonMapper.Builder introspecting = JsonMapper.builder().annotationIntrospector(new WithoutCount());
        JsonMapper.Builder modifying =
                JsonMapper.builder().addModule(new SimpleModule().setSerializerModifier(new CountRemover()));
        JsonMapper.Builder oneWay =
                JsonMapper.builder().addModule(new SimpleModule().addSerializer(new PlainSerializer()));
        JsonMapper.Builder overriding = JsonMapper.builder()
                .withConfigOverride(
                        Plain.class,
                        plain -> plain.setVisibility(
                                JsonAutoDetect.Value.construct(PropertyAccessor.GETTER, Visibility.NONE)));
        return Stream.of(
                Arguments.of(hiding.build(), Plain.class),
                Arguments.of(hiding.build(), Fields.class),
                Arguments.of(snakeCase.build(), Similar.class),
                Arguments.of(introspecting.build(), Plain.class),
                Arguments.of(modifying.build(), Plain.class),
                Arguments.of(oneWay.build(), Plain.class),
                Arguments.of(overriding.build(), Plain.class));
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void whatTheMapperChangesIsSeen(JsonMapper ofApplication, Class<?> type) {
        JsonMapper changed = StoreMapper.of(ofApplication);
        String ofJackson = new ResultCheck(changed).whyNotForJackson(changed.constructType(type));
        assertThat(ofJackson).isNotNull();
        assertThat(new ResultCheck(changed).whyNot(changed.constructType(type))).isEqualTo(ofJackson);
    }

    private @Nullable String ofJackson(Class<?> type) {
        return new ResultCheck(mapper).whyNotForJackson(mapper.constructType(type));
    }

    record Similar(String userName, String user_name) {}

    record RenamedParameter(String id) {

        RenamedParameter(@JsonProperty(access = JsonProperty.Access.WRITE_ONLY) String id) {
            this.id = id;
        }
    }

    record SameName(@JsonProperty("id") String key, String id) {}

    public static class TwoSetters extends Bean {

        public void setOther(Plain other) {}

        public void setOther(Node other) {}
    }

    public static class SetterOfAnything extends Bean {

        public void setExtra(Object extra) {}
    }

    record ByItself(String id) implements JacksonSerializable {

        @Override
        public void serialize(JsonGenerator generator, SerializationContext context) {
            generator.writeString(id);
        }

        @Override
        public void serializeWithType(JsonGenerator generator, SerializationContext context, TypeSerializer ofType) {
            serialize(generator, context);
        }
    }

    static final class WithoutCount extends JacksonAnnotationIntrospector {

        @Override
        public JsonProperty.@Nullable Access findPropertyAccess(MapperConfig<?> config, Annotated member) {
            return member.getName().equals("count") ? JsonProperty.Access.WRITE_ONLY : null;
        }
    }

    static final class CountRemover extends ValueSerializerModifier {

        @Override
        public List<BeanPropertyWriter> changeProperties(
                SerializationConfig config, BeanDescription.Supplier bean, List<BeanPropertyWriter> properties) {
            properties.removeIf(property -> property.getName().equals("count"));
            return properties;
        }
    }

    static final class PlainSerializer extends StdSerializer<Plain> {

        PlainSerializer() {
            super(Plain.class);
        }

        @Override
        public void serialize(Plain plain, JsonGenerator generator, SerializationContext context) {
            generator.writeString(plain.id());
        }
    }

    record Plain(String id, int count, List<Plain> others, Optional<Bean> bean, Map<String, Fields[]> fields) {}

    public static class Fields {

        public String id = "";
        public int count;
    }

    public static class Bean {

        private @Nullable Bean next;

        public @Nullable Bean getNext() {
            return next;
        }

        public void setNext(@Nullable Bean next) {
            this.next = next;
        }
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Ignoring(@JsonProperty("key") String id) {}

    public static class Creator {

        private final String text;

        @JsonCreator
        Creator(@JsonProperty("text") String text) {
            this.text = text;
        }

        public String getText() {
            return text;
        }
    }

    record Amount(Number value) {}

    record Price(Amount amount) {}

    record Node(String name, List<Leaf> leaves) {}

    record Leaf(String name, @Nullable Node parent) {}

    public static class Words extends ArrayList<String> {}

    public static class Extra {

        private final Map<String, String> all = Map.of();

        @JsonAnySetter
        public void put(String name, String value) {}

        public Map<String, String> getAll() {
            return all;
        }
    }

    record Mixed(Object id, String name) {}

    abstract static class WithoutId {

        @JsonIgnore
        abstract Object id();
    }

    record Secret(
            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String pin) {}

    record MixedIn(String id) {}

    abstract static class WriteOnlyId {

        @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
        abstract String id();
    }

    interface Named {

        @JsonIgnore
        String getName();
    }

    public static class ByInterface implements Named {

        private String name = "";

        @Override
        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    public static class HalfIgnored {

        private String name = "";

        @Transient
        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    public static class OnlyGetters {

        private final String name = "x";

        public String getName() {
            return name.strip();
        }
    }

    public static class WithoutConstructor {

        private String name;

        public WithoutConstructor(StringBuilder name, int length) {
            this.name = name.substring(length);
        }

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    public static class WithoutAccessors {

        private String name = "x";

        String name() {
            return name;
        }

        void name(String newName) {
            name = newName;
        }
    }

    record OfAnything(String id, Comparable<?> any) {}

    record OfAnyThings(List<OfAnything> all) {}

    record MapByNode(Map<Node, String> names) {}

    public class Inner {

        public String name = "";
    }

    static final class AmountSerializer extends StdSerializer<Amount> {

        AmountSerializer() {
            super(Amount.class);
        }

        @Override
        public void serialize(Amount amount, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(amount.value().intValue());
        }
    }

    static final class AmountDeserializer extends StdDeserializer<Amount> {

        AmountDeserializer() {
            super(Amount.class);
        }

        @Override
        public Amount deserialize(JsonParser parser, DeserializationContext context) {
            return new Amount(parser.getIntValue());
        }
    }
}
