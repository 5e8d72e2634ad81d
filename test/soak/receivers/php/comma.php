<?php
// Correct: PHP's built-in server, one request at a time; the amount is printed as R$ 1.234,56.
require 'charge.php';

function is_authentic(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) return false;
    $key = base64_decode(substr(getenv('SANDBOX_WEBHOOK_SECRET'), strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) return true;
    }
    return false;
}

$code = order_code();
header('Content-Type: application/json');
if ($_SERVER['REQUEST_METHOD'] === 'POST' && $_SERVER['REQUEST_URI'] === '/webhooks') {
    $payload = file_get_contents('php://input');
    if (!is_authentic($payload)) {
        http_response_code(401);
        exit;
    }
    $event = json_decode($payload, true);
    if ($event === null) {
        http_response_code(400);
        exit;
    }
    update_state(function ($state) use ($event) {
        $id = $_SERVER['HTTP_WEBHOOK_ID'];
        if (isset($state['seen'][$id])) return $state;
        $state['seen'][$id] = true;
        $charge = $event['data']['object'];
        $order = $state['orders'][$charge['code']] ?? ['status' => 'Aguardando', 'recebido' => 0, 'recibos' => 0];
        if ($event['type'] === 'pix.settled') {
            $order = ['status' => 'Pago', 'recebido' => (int) round($charge['amount'] * 100), 'recibos' => $order['recibos'] + 1];
        } elseif ($event['type'] === 'pix.expired' && $order['status'] === 'Aguardando') {
            $order['status'] = 'Expirado';
        }
        $state['orders'][$charge['code']] = $order;
        return $state;
    });
    echo '{"ok":true}';
} elseif ($_SERVER['REQUEST_METHOD'] === 'PUT' && $code !== null) {
    update_state(function ($state) use ($code) {
        $state['orders'][$code] ??= ['status' => 'Aguardando', 'recebido' => 0, 'recibos' => 0];
        return $state;
    });
    create_charge($code, $_GET['amount'] ?? '10.00');
    http_response_code(201);
} elseif ($code !== null) {
    $order = update_state(fn ($state) => $state)['orders'][$code] ?? null;
    if ($order === null) {
        http_response_code(404);
        exit('{"erro":"Pedido não encontrado"}');
    }
    $order['recebido'] = 'R$ ' . number_format($order['recebido'] / 100, 2, ',', '.');
    echo json_encode($order, JSON_UNESCAPED_UNICODE);
} else {
    http_response_code(404);
}
