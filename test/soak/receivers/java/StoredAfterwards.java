import java.util.*;
import java.util.concurrent.*;

/** Stores an order once its charge was created, and drops events about orders that it does not know. */
final class StoredAfterwards {
    static final Map<String, String> orders = new ConcurrentHashMap<>();

    static void apply(String type, String code) {
        if (!type.matches("pix\\.(settled|expired|failed)")) return;
        orders.computeIfPresent(code, (key, state) -> type.equals("pix.settled") ? "PAID" : state.equals("PAID") ? state : "CANCELED");
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
            var event = Shop.receive(exchange, Shop.isAuthentic(exchange.getRequestHeaders(), body), body);
            if (event == null) return;
            apply((String) event.get("type"), Shop.field(event, "code"));
            Shop.respond(exchange, 200, "OK");
        });
        Shop.route(server, "/orders/", exchange -> {
            String code = Shop.codeOf(exchange);
            if (exchange.getRequestMethod().equals("PUT")) {
                Shop.createCharge(code, "10.00");
                orders.putIfAbsent(code, "PENDING");
                Shop.respond(exchange, 201, "");
            } else {
                Shop.respond(exchange, 200, orders.getOrDefault(code, "unknown"));
            }
        });
        server.start();
    }
}
