import java.util.*;

/** Correct: charges and withdrawals, in the single thread that HttpServer has by default. */
final class Withdrawals {
    static final Map<String, Integer> RANK = Map.of("pix.failed", 1, "pix.expired", 1, "pix.settled", 2, "withdrawal.settled", 1, "withdrawal.failed", 2);

    public static void main(String[] args) throws Exception {
        Map<String, String> states = new HashMap<>();
        Map<String, Integer> emails = new HashMap<>();
        Set<String> seen = new HashSet<>();
        var server = Shop.server();
        Shop.route(server, "/webhooks", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (!exchange.getRequestMethod().equals("POST")) {
                Shop.respond(exchange, 405, "");
                return;
            }
            var event = Shop.receive(exchange, Shop.isAuthentic(exchange.getRequestHeaders(), body), body);
            if (event == null) return;
            String type = (String) event.get("type");
            if (seen.add(exchange.getRequestHeaders().getFirst("webhook-id")) && RANK.containsKey(type)) {
                String code = Shop.field(event, "code");
                if (RANK.get(type) > RANK.getOrDefault(states.getOrDefault(code, "created"), 0)) {
                    states.put(code, type);
                    emails.merge(code, 1, Integer::sum);
                }
            }
            Shop.respond(exchange, 200, "");
        });
        Shop.route(server, "/orders/", exchange -> {
            String code = Shop.codeOf(exchange);
            if (exchange.getRequestMethod().equals("PUT")) {
                states.putIfAbsent(code, "created");
                Shop.createCharge(code, "10.00");
                Shop.respond(exchange, 201, "");
            } else if (states.containsKey(code)) {
                Shop.respond(exchange, 200, String.format("{\"state\":\"%s\"}", states.get(code)));
            } else {
                Shop.respond(exchange, 404, "{}");
            }
        });
        server.start();
    }
}
