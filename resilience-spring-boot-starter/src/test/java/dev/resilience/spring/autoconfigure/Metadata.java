package dev.resilience.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The configuration metadata of this starter, as the build made it. */
public final class Metadata {

    private Metadata() {}

    /** The entries of a section by their names. */
    public static Map<String, JsonNode> section(String section) {
        Map<String, JsonNode> byName = new TreeMap<>();
        read().get(section).forEach(entry -> byName.put(entry.get("name").asString(), entry));
        return byName;
    }

    private static JsonNode read() {
        String file = "META-INF/spring-configuration-metadata.json";
        ClassLoader loader = ResilienceAutoConfiguration.class.getClassLoader();
        try {
            // Several jars have one; ours knows our keys.
            for (URL found : Collections.list(loader.getResources(file))) {
                try (InputStream content = found.openStream()) {
                    JsonNode metadata = new JsonMapper().readTree(content);
                    if (metadata.toString().contains("resilience.retry.default.max-attempts")) {
                        return metadata;
                    }
                }
            }
            throw new IllegalStateException("There is no metadata of ours on the class path");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
