package dev.resilience.spring.idempotency;

import java.io.Closeable;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by the application's own mapper, through generic types. Default typing is off whatever the application's mapper
 * has: a stored text never chooses the class that is made of it.
 */
public final class JacksonJson implements Json {

    private final JsonMapper mapper;
    private final JsonMapper sorting;

    public JacksonJson(JsonMapper mapper) {
        this.mapper = mapper.rebuild().deactivateDefaultTyping().build();
        this.sorting = this.mapper
                .rebuild()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build();
    }

    @Override
    public byte[] describe(@Nullable Object[] arguments) {
        return sorting.writeValueAsBytes(arguments);
    }

    @Override
    public byte[] write(@Nullable Object result, ResolvableType type) {
        return mapper.writeValueAsBytes(result);
    }

    @Override
    public @Nullable Object read(byte[] content, ResolvableType type) {
        return mapper.readerFor(mapper.constructType(type.getType())).readValue(content);
    }

    @Override
    public @Nullable String whyNotReadable(ResolvableType type) {
        Class<?> raw = type.resolve();
        if (raw == null || raw == Object.class) {
            return "nothing says which class to read " + type + " as";
        }
        if (raw.isArray()) {
            return whyNotReadable(type.getComponentType());
        }
        if (Collection.class.isAssignableFrom(raw) || Map.class.isAssignableFrom(raw) || raw == Optional.class) {
            return whyElementsNotReadable(type);
        }
        try {
            mapper.readerFor(mapper.constructType(type.getType())).readValue("{}");
            return null;
        } catch (InvalidDefinitionException unreadable) {
            return unreadable.getOriginalMessage();
        } catch (JacksonException onlyThisText) {
            return null; // the type is known, and an empty object is just not one of its values
        }
    }

    private @Nullable String whyElementsNotReadable(ResolvableType type) {
        if (!type.hasGenerics()) {
            return "nothing says which class to read the elements of " + type + " as";
        }
        for (ResolvableType element : type.getGenerics()) {
            String why = whyNotReadable(element);
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    @Override
    public @Nullable String whyNotWritable(ResolvableType type) {
        Class<?> raw = type.resolve(Object.class);
        boolean stream = Closeable.class.isAssignableFrom(raw) || raw.getName().startsWith("jakarta.servlet.");
        return stream ? raw.getName() + " is not a value" : null;
    }
}
