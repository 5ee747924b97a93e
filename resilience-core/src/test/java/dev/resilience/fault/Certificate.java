package dev.resilience.fault;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A real self-signed certificate for localhost and its key, made by the JDK's own tool. */
final class Certificate {

    private static final String PASSWORD = "changeit";

    private final KeyStore keyStore;

    private Certificate(KeyStore keyStore) {
        this.keyStore = keyStore;
    }

    static Certificate selfSigned(Path directory) throws IOException, GeneralSecurityException, InterruptedException {
        Path file = Files.createTempDirectory(directory, "certificate").resolve("store.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process process = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        "self",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(output);
        }
        return new Certificate(KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray()));
    }

    /** For a side that presents this certificate and trusts those that the JDK trusts. */
    SSLContext presented() throws GeneralSecurityException {
        return context(null);
    }

    /** For a side that presents this certificate and trusts that of the other side. */
    SSLContext presentedTo(Certificate other) throws GeneralSecurityException {
        // a key is no trust anchor, its certificate alone is one
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        try {
            anchors.load(null, null);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        anchors.setCertificateEntry("other", other.keyStore.getCertificate("self"));
        return context(anchors);
    }

    private SSLContext context(@Nullable KeyStore anchors) throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(keyStore, PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(anchors);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
