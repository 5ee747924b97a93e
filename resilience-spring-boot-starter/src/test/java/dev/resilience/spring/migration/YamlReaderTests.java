package dev.resilience.spring.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Keys of the YAML that configuration files have are those that Spring Boot reads. */
class YamlReaderTests {

    private static final String YAML = """
        # a comment
        server: {port: 8080, ssl: {enabled: false, "key-alias": 'it''s'}}
        resilience4j:   # another
          retry.instances:
            "[a.b]":
              max-attempts: 3
              wait-duration: "1s"  # with # signs
              retry-exceptions:
              - java.io.IOException
              - 'java.lang.IllegalStateException'
              ignore-exceptions: [a.B, "c.D",
                e.F]
          circuitbreaker:
            configs:
              default: &common
                sliding-window-size: 10
                url: http://localhost:8080/#/path
              other: {wait: 1ms}
            instances:
              one:
                <<: *common
                minimum-number-of-calls: 5
              two: *common
              three: &more
                url: http://localhost
                wait: 1s
                exceptions: [a.B, c.D]
              four:
                <<: [*common, *more]
                exceptions:
                - e.F
              Client#call(String):
                wait: !!str "2s"
              'it''s':
                exceptions:
                  [a.B,
                   c.D]
                url:
                  http://localhost
        text: |
          resilience4j: not a key
            max: 1
        folded: >-
          a: b
        after: 1
        list:
          - name: first
            value: 1
          - name: second
        ---
        spring:
          config.activate.on-profile: dev
        """;

    @Test
    void aByteOrderMarkIsNoPartOfAKey() {
        assertThat(YamlReader.read("\uFEFFresilience4j:\n  a: 1", new TreeMap<>()))
                .isEqualTo(List.of(Map.of("resilience4j.a", "1")));
    }

    @Test
    void linesThatAreNotUnderstoodAreTold() {
        Map<Integer, String> unread = new TreeMap<>();
        YamlReader.read("""
                text: |
                  resilience4j
                resilience4j:
                  retry: *unknown
                  bulkhead: >-
                    a: b
                  ? timelimiter
                """, unread);

        assertThat(unread).isEqualTo(Map.of(4, "*unknown", 5, "bulkhead: >-", 7, "? timelimiter"));
    }

    @Test
    void theKeysAreThoseOfSpringBoot() throws Exception {
        List<Map<String, String>> read = YamlReader.read(YAML, new TreeMap<>());

        List<Map<String, String>> loaded = new ArrayList<>();
        for (PropertySource<?> source : new YamlPropertySourceLoader()
                .load("yaml", new ByteArrayResource(YAML.getBytes(StandardCharsets.UTF_8)))) {
            Map<String, String> keys = new LinkedHashMap<>();
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                keys.put(name.replace(".[", "["), String.valueOf(source.getProperty(name)));
            }
            keys.keySet().removeIf(key -> key.equals("text") || key.equals("folded"));
            loaded.add(keys);
        }
        read.forEach(document -> {
            Map<String, String> keys = new LinkedHashMap<>();
            document.forEach((key, value) -> keys.put(key.replace(".[", "["), value));
            document.clear();
            document.putAll(keys);
        });
        assertThat(read).isEqualTo(loaded);
    }
}
