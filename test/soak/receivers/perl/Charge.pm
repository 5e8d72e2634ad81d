package Charge;
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex sha256_hex);
use Exporter 'import';
use MIME::Base64 qw(decode_base64 encode_base64);
use Mojo::JSON qw(encode_json);
use Mojo::UserAgent;
our @EXPORT_OK = qw(create_charge expected_signature);

# Creates the charge of an order, with the request signed.
sub create_charge {
    my ($code, $amount) = @_;
    my $path = '/api/public/v1/pix';
    my $body = encode_json({account_id => $ENV{SANDBOX_ACCOUNT_ID}, code => $code, amount => "$amount"});
    my $timestamp = time;
    my $nonce = join '', map { ('a' .. 'z', 0 .. 9)[rand 36] } 1 .. 32;
    my $text = join '.', $timestamp, $nonce, 'POST', $path, sha256_hex($body);
    my $headers = {
        Authorization  => "Bearer $ENV{SANDBOX_TOKEN}",
        'Content-Type' => 'application/json',
        'X-Timestamp'  => $timestamp,
        'X-Nonce'      => $nonce,
        'X-Signature'  => hmac_sha256_hex($text, $ENV{SANDBOX_SIGNING_SECRET}),
    };
    my $result = Mojo::UserAgent->new->post("$ENV{SANDBOX_BASE_URL}$path" => $headers => $body)->result;
    die "POST $path: " . $result->code . "\n" unless $result->is_success;
    return $result->json;
}

# Returns the expected v1 signature of a request, or undef where its id or timestamp does not hold.
sub expected_signature {
    my ($req) = @_;
    my ($id, $timestamp) = map { $req->headers->header($_) // '' } qw(webhook-id webhook-timestamp);
    return undef if $id eq '' || $timestamp !~ /\A[0-9]{1,12}\z/ || abs(time - $timestamp) > 300;
    my $key = decode_base64(substr $ENV{SANDBOX_WEBHOOK_SECRET}, length 'whsec_');
    return encode_base64(hmac_sha256("$id.$timestamp." . $req->body, $key), '');
}
1;
