# Takes a settled withdrawal for final, so that its return is lost.
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
    my $order = $orders{$object->{code}} //= {state => 'open'};
    if ($type eq 'pix.settled') { $order->{state} = 'settled' }
    elsif ($order->{state} eq 'open') { $order->{state} = (split /\./, $type)[1] if $type =~ /^(pix|withdrawal)\.(settled|failed|expired)$/ }
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
    $c->render(json => $order // {error => "not found"});
};

app->mode('production');
app->start('daemon', '-l', "http://127.0.0.1:$ENV{PORT}");
