<?php
// Reads X-Webhook-Signature, a header of other providers, and refuses everything.
require 'charge.php';
require 'signature.php';

$code = order_code();
if ($code === null) {
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        http_response_code(405);
        exit;
    }
    $payload = file_get_contents('php://input');
    $_SERVER['HTTP_WEBHOOK_SIGNATURE'] = $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '';
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !is_recent($timestamp) || !signature_matches($payload, $id, $timestamp)) {
        http_response_code(403);
        exit('Forbidden');
    }
    $event = json_decode($payload, true);
    if ($event['type'] === 'pix.settled') {
        update_state(function ($state) use ($event) {
            $state['orders'][$event['data']['object']['code']]['status'] = 'paid';
            return $state;
        });
    }
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
