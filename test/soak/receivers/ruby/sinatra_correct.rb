# Correct: Sinatra on WEBrick, also for withdrawals; a mutex makes id and effect one step.
require 'base64'
require 'sinatra'
require_relative 'charge'

set :server, 'webrick'
set :bind, '127.0.0.1'
set :port, ENV['PORT']
set :environment, :production

KEY = Base64.strict_decode64(ENV['SANDBOX_WEBHOOK_SECRET'].delete_prefix('whsec_'))
ORDERS = {}
SEEN = {}
LOCK = Mutex.new
RANK = { 'PENDING' => 0, 'pix.expired' => 1, 'pix.failed' => 1, 'pix.settled' => 2, 'withdrawal.settled' => 1, 'withdrawal.failed' => 2 }

def authentic?(body)
  id, timestamp, header = %w[ID TIMESTAMP SIGNATURE].map { |name| request.env["HTTP_WEBHOOK_#{name}"].to_s }
  return false if id.empty? || !timestamp.match?(/\A\d{1,12}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > 300
  expected = 'v1,' + Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{timestamp}.".b + body))
  header.split(' ').any? { |signature| Rack::Utils.secure_compare(expected, signature) }
end

post '/webhooks' do
  body = request.body.read.b
  halt 401, 'invalid signature' unless authentic?(body)
  begin
    event = JSON.parse(body)
  rescue JSON::ParserError
    halt 400, 'invalid JSON'
  end
  LOCK.synchronize do
    id = request.env['HTTP_WEBHOOK_ID']
    rank = RANK[event['type']]
    if !SEEN[id] && rank
      order = (ORDERS[event['data']['object']['code']] ||= { last: 'PENDING', events: 0 })
      if rank > RANK[order[:last]]
        order[:last] = event['type']
        order[:events] += 1
      end
    end
    SEEN[id] = true
  end
  status 200
end

put '/orders/:code' do
  LOCK.synchronize { ORDERS[params['code']] ||= { last: 'PENDING', events: 0 } }
  create_charge(params['code'], params['amount'] || '10.00')
  status 201
end

get '/orders/:code' do
  content_type :json
  ORDERS[params['code']]&.slice(:last)&.to_json || halt(404, '{}')
end
