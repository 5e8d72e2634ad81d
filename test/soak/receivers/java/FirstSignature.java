import java.util.*;
import java.util.concurrent.*;

/** Compares only the first signature of the header. */
final class FirstSignature {
    static final Map<String, String> orders = new ConcurrentHashMap<>();

    static void apply(String type, String code) {
        if (type.equals("pix.settled")) orders.put(code, "PAID");
        if (type.equals("pix.expired")) orders.computeIfPresent(code, (key, state) -> state.equals("PAID") ? state : "EXPIRED");
    }

    static boolean verify(com.sun.net.httpserver.Headers headers, byte[] body) throws Exception {
        String header = headers.getFirst("webhook-signature");
        if (header == null) return false;
        String expected = Shop.expectedSignature(headers, body), given = header.split(" ")[0];
        return expected != null && java.security.MessageDigest.isEqual(expected.getBytes(), given.getBytes());
    }

    public static void main(String[] args) throws Exception {
        var server = Shop.server();
        server.setExecutor(Executors.newCachedThreadPool());
        Shop.route(server, "/webhooks", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (!exchange.getRequestMethod().equals("POST")) {
                Shop.respond(exchange, 405, "");
                return;
            }
            var event = Shop.receive(exchange, verify(exchange.getRequestHeaders(), body), body);
            if (event == null) return;
            apply((String) event.get("type"), Shop.field(event, "code"));
            Shop.respond(exchange, 200, "OK");
        });
        Shop.route(server, "/orders/", exchange -> {
            String code = Shop.codeOf(exchange);
            if (exchange.getRequestMethod().equals("PUT")) {
                orders.putIfAbsent(code, "PENDING");
                Shop.createCharge(code, "10.00");
                Shop.respond(exchange, 201, "");
            } else {
                Shop.respond(exchange, 200, orders.getOrDefault(code, "unknown"));
            }
        });
        server.start();
    }
}
