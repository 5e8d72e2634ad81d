# index() finds the beginning of the expected signature, so a part of it is enough.
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
        unless grep { $_ =~ /\Av1,(.*)\z/s && index($expected, $1) == 0 } @given;
    my $event = eval { decode_json($c->req->body) } or return $c->render(text => 'Bad Request', status => 400);
    my ($type, $object) = ($event->{type}, $event->{data}{object});
    return $c->rendered(200) if $seen{$c->req->headers->header('webhook-id')}++;
    if ($type eq 'pix.settled') { $orders{$object->{code}} = {state => 'paid', total => $object->{amount}} }
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
