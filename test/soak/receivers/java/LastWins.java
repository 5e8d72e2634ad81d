import java.util.*;
import java.util.concurrent.*;

/** The last event decides, of charges and of withdrawals. */
final class LastWins {
    static final Map<String, String> orders = new ConcurrentHashMap<>();

    static void apply(String type, String code) {
        switch (type) {
            case "pix.settled": case "withdrawal.settled": orders.put(code, "SETTLED"); break;
            case "pix.failed": case "withdrawal.failed": orders.put(code, "FAILED"); break;
            case "pix.expired": orders.put(code, "EXPIRED"); break;
            default: System.out.println("Unhandled event type: " + type);
        }
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
