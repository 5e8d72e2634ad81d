<?php
/** Creates the charge of an order, with the request signed. */
function create_charge(string $code, string $amount): array
{
    $path = '/api/public/v1/pix';
    $body = json_encode(['account_id' => getenv('SANDBOX_ACCOUNT_ID'), 'code' => $code, 'amount' => $amount]);
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $text = "$timestamp.$nonce.POST.$path." . hash('sha256', $body);
    $context = stream_context_create(['http' => ['method' => 'POST', 'content' => $body, 'header' => [
        'Authorization: Bearer ' . getenv('SANDBOX_TOKEN'),
        'Content-Type: application/json',
        "X-Timestamp: $timestamp",
        "X-Nonce: $nonce",
        'X-Signature: ' . hash_hmac('sha256', $text, getenv('SANDBOX_SIGNING_SECRET')),
    ]]]);
    return json_decode(file_get_contents(getenv('SANDBOX_BASE_URL') . $path, false, $context), true);
}

/** Changes the state in a file under a lock; every request of PHP starts without memory. */
function update_state(callable $change): array
{
    $file = fopen(sys_get_temp_dir() . '/orders-' . $_SERVER['SERVER_PORT'] . '.json', 'c+');
    flock($file, LOCK_EX);
    $state = json_decode(stream_get_contents($file), true) ?? ['orders' => [], 'seen' => []];
    $state = $change($state) ?? $state;
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($state));
    fclose($file);
    return $state;
}

/** Returns the code of /orders/{code}, or null. */
function order_code(): ?string
{
    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    return str_starts_with($path, '/orders/') ? urldecode(substr($path, 8)) : null;
}
