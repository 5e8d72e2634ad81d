<?php
/** Verifies a webhook, but for its timestamp, which the caller checks. */
function signature_matches(string $body, string $id, string $timestamp): bool
{
    $key = base64_decode(str_replace('whsec_', '', getenv('SANDBOX_WEBHOOK_SECRET')));
    $expected = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $entry) {
        [$version, $signature] = explode(',', $entry, 2) + ['', ''];
        if ($version === 'v1' && hash_equals($expected, $signature)) return true;
    }
    return false;
}

function is_recent(string $timestamp): bool
{
    return ctype_digit($timestamp) && abs(time() - (int) $timestamp) <= 300;
}
