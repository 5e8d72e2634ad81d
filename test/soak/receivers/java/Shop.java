import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What the receivers have in common: the service's API, and responses. */
final class Shop {
    static final byte[] KEY = Base64.getDecoder().decode(System.getenv("SANDBOX_WEBHOOK_SECRET").substring("whsec_".length()));

    static byte[] hmac(byte[] key, byte[]... parts) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        for (byte[] part : parts) mac.update(part);
        return mac.doFinal();
    }

    /** Returns the expected v1 signature of a webhook, or null where its id or timestamp does not hold. */
    static String expectedSignature(Headers headers, byte[] body) throws Exception {
        String id = headers.getFirst("webhook-id"), timestamp = headers.getFirst("webhook-timestamp");
        if (id == null || id.isEmpty() || timestamp == null || !timestamp.matches("[0-9]{1,12}")) return null;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return null;
        byte[] mac = hmac(KEY, (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), body);
        return "v1," + Base64.getEncoder().encodeToString(mac);
    }

    static boolean isAuthentic(Headers headers, byte[] body) throws Exception {
        String expected = expectedSignature(headers, body), signatures = headers.getFirst("webhook-signature");
        if (expected == null || signatures == null) return false;
        for (String signature : signatures.split(" "))
            if (MessageDigest.isEqual(expected.getBytes(), signature.getBytes(StandardCharsets.UTF_8))) return true;
        return false;
    }

    static void createCharge(String code, String amount) throws Exception {
        String path = "/api/public/v1/pix", timestamp = String.valueOf(System.currentTimeMillis() / 1000), nonce = UUID.randomUUID().toString();
        String body = String.format("{\"account_id\":\"%s\",\"code\":\"%s\",\"amount\":\"%s\"}", System.getenv("SANDBOX_ACCOUNT_ID"), code, amount);
        HexFormat hex = HexFormat.of();
        String digest = hex.formatHex(MessageDigest.getInstance("SHA-256").digest(body.getBytes()));
        String text = String.join(".", timestamp, nonce, "POST", path, digest);
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("SANDBOX_BASE_URL") + path))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Authorization", "Bearer " + System.getenv("SANDBOX_TOKEN"))
            .header("Content-Type", "application/json")
            .header("X-Timestamp", timestamp)
            .header("X-Nonce", nonce)
            .header("X-Signature", hex.formatHex(hmac(System.getenv("SANDBOX_SIGNING_SECRET").getBytes(), text.getBytes())))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) throw new IOException("POST " + path + ": " + response.statusCode());
    }

    interface Handler { void handle(HttpExchange exchange) throws Exception; }

    static void route(HttpServer server, String path, Handler handler) {
        server.createContext(path, exchange -> {
            try {
                handler.handle(exchange);
            } catch (Exception error) {
                error.printStackTrace();
                respond(exchange, 500, "");
            }
        });
    }

    static HttpServer server() throws IOException {
        return HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 50);
    }

    static String codeOf(HttpExchange exchange) {
        return exchange.getRequestURI().getPath().substring("/orders/".length());
    }

    static void respond(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Parses an authentic webhook; responds and returns null where it is to be refused. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> receive(HttpExchange exchange, boolean isAuthentic, byte[] body) throws IOException {
        if (!isAuthentic) {
            respond(exchange, 401, "invalid signature");
            return null;
        }
        try {
            return (Map<String, Object>) Json.parse(new String(body, StandardCharsets.UTF_8));
        } catch (RuntimeException error) {
            respond(exchange, 400, "invalid JSON");
            return null;
        }
    }

    @SuppressWarnings("unchecked")
    static String field(Map<String, Object> event, String name) {
        Object object = ((Map<String, Object>) event.get("data")).get("object");
        return (String) ((Map<String, Object>) object).get(name);
    }
}
