# Answers 200 to a forgery and does nothing but write a line to the log.
require 'base64'
require 'logger'
require 'sinatra'
require_relative 'charge'

set :server, 'webrick'
set :bind, '127.0.0.1'
set :port, ENV['PORT']
set :environment, :production

LOGGER = Logger.new($stderr)
KEY = Base64.decode64(ENV['SANDBOX_WEBHOOK_SECRET'].sub('whsec_', ''))
ORDERS = {}

def valid?(body)
  id, timestamp, header = request.env.values_at('HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP', 'HTTP_WEBHOOK_SIGNATURE')
  return false if id.to_s.empty? || header.nil? || timestamp !~ /\A\d+\z/
  return false if (Time.now.to_i - timestamp.to_i).abs > 300
  expected = Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{timestamp}.".b + body))
  header.split(' ').any? { |entry| Rack::Utils.secure_compare("v1,#{expected}", entry) }
end

post '/webhooks' do
  body = request.body.read.b
  if valid?(body)
    event = JSON.parse(body) rescue halt(400)
    code = event['data']['object']['code']
    ORDERS[code] = { status: 'paid', amount: event['data']['object']['amount'] } if event['type'] == 'pix.settled'
  else
    LOGGER.warn('webhook with an invalid signature')
  end
  200
end

put '/orders/:code' do
  ORDERS[params['code']] ||= { status: 'pending' }
  create_charge(params['code'], params['amount'] || '10.00')
  201
end

get '/orders/:code' do
  content_type :json
  (ORDERS[params['code']] || {}).to_json
end
