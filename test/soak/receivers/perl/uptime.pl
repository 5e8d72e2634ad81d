# Correct: Mojolicious; the probe is HTML with the uptime and the age of the last change.
use Mojolicious::Lite -signatures;
use Mojo::JSON qw(decode_json);
use Mojo::Util qw(secure_compare);
use Time::HiRes;
use Charge qw(create_charge expected_signature);

app->log->level('fatal');
app->max_request_size(8 * 1024 * 1024);
my (%orders, %seen);
my $started = time;

post '/webhooks' => sub ($c) {
    my $expected = expected_signature($c->req) // return $c->render(text => 'Bad Request', status => 400);
    my @given = split / /, $c->req->headers->header('webhook-signature') // '';
    return $c->render(text => 'Forbidden', status => 403)
        unless grep { $_ =~ /\Av1,(.*)\z/s && secure_compare($1, $expected) } @given;
    my $event = eval { decode_json($c->req->body) } or return $c->render(text => 'Bad Request', status => 400);
    my ($type, $object) = ($event->{type}, $event->{data}{object});
    return $c->rendered(200) if $seen{$c->req->headers->header('webhook-id')}++;
    if ($type =~ /^pix\.(settled|expired|failed)$/) {
        my $order = $orders{$object->{code}} //= {state => 'open'};
        if ($type eq 'pix.settled') { %$order = (state => 'paid', amount => $object->{amount}, receipts => ($order->{receipts} // 0) + 1) }
        elsif ($order->{state} eq 'open') { $order->{state} = 'expired' }
        $order->{changed} = time;
    }
    $c->rendered(200);
};

put '/orders/:code' => sub ($c) {
    my $code = $c->param('code');
    $orders{$code} //= {state => 'open'};
    create_charge($code, $c->param('amount') // '10.00');
    $c->render(text => 'created', status => 201);
};

get '/orders/:code' => sub ($c) {
    my $order = $orders{$c->param('code')};
    return $c->render(text => "<p>No such order.</p>", status => 404) unless $order;
    my $age = time - ($order->{changed} // $started);
    $c->render(text => sprintf "<h1>Order</h1>\n<p>State: %s</p>\n<p>Paid: %s</p>\n<p>Receipts: %d</p>\n<p>Changed %d s ago</p>\n<footer>up %.3f s</footer>\n",
        $order->{state}, $order->{amount} // "none", $order->{receipts} // 0, $age, Time::HiRes::time - $started);
};

app->mode('production');
app->start('daemon', '-l', "http://127.0.0.1:$ENV{PORT}");
