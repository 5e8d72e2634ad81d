<?php
// Verifies the signature and not the age of the timestamp.
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
    if (!$id || !$timestamp || !signature_matches($payload, $id, $timestamp)) {
        http_response_code(400);
        exit('invalid signature');
    }
    $event = json_decode($payload, true);
    if (!is_array($event)) {
        http_response_code(400);
        exit('invalid payload');
    }
    if ($event['type'] === 'pix.settled') {
        update_state(function ($state) use ($event) {
            $state['orders'][$event['data']['object']['code']] = ['status' => 'paid', 'amount' => $event['data']['object']['amount']];
            return $state;
        });
    }
    http_response_code(204);
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
