# The hex digest of the webhook guides of a code host, in place of base64.
require 'base64'
require 'sinatra'
require_relative 'charge'

set :server, 'webrick'
set :bind, '127.0.0.1'
set :port, ENV['PORT']
set :environment, :production

ORDERS = {}

def verify_signature(payload_body)
  id, timestamp = request.env.values_at('HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP')
  return halt 400, 'Missing headers' unless id && timestamp =~ /\A\d+\z/
  return halt 400, 'Too old' if (Time.now.to_i - timestamp.to_i).abs > 300
  secret = Base64.decode64(ENV['SANDBOX_WEBHOOK_SECRET'].split('_').last)
  signature = 'v1,' + OpenSSL::HMAC.hexdigest(OpenSSL::Digest.new('sha256'), secret, "#{id}.#{timestamp}.#{payload_body}")
  signatures = request.env['HTTP_WEBHOOK_SIGNATURE'].to_s.split(' ')
  halt 403, "Signatures didn't match!" unless signatures.any? { |given| Rack::Utils.secure_compare(signature, given) }
end

post '/webhooks' do
  request.body.rewind
  payload_body = request.body.read
  verify_signature(payload_body)
  event = JSON.parse(payload_body)
  ORDERS[event['data']['object']['code']] = 'paid' if event['type'] == 'pix.settled'
  'OK'
end

put '/orders/:code' do
  ORDERS[params['code']] ||= 'pending'
  create_charge(params['code'], '10.00')
  201
end

get('/orders/:code') { ORDERS[params['code']] || 'unknown' }
