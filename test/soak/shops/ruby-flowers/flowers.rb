# Delivers flowers. Sinatra, and everything in memory.
require 'base64'
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'set'
require 'sinatra/base'

class Flowers < Sinatra::Base
  STATUS = { 'pix.settled' => 'paid', 'pix.expired' => 'expired', 'pix.failed' => 'failed' }.freeze

  set :orders, {}
  set :seen, Set.new
  set :deliveries, []
  set :mutex, Mutex.new
  set :show_exceptions, false

  post '/orders' do
    order = JSON.parse(request.body.read)
    code = order.fetch('code')
    settings.mutex.synchronize { settings.orders[code] = { 'status' => 'pending', 'address' => order['address'] } }
    pix = charge(code, order.fetch('amount'))
    [201, JSON.generate(code: code, qr_code: pix['qr_code'])]
  end

  get('/orders/:code') { JSON.generate(settings.orders.fetch(params[:code])) }
  get('/deliveries') { JSON.generate(settings.deliveries) }

  post '/webhooks' do
    raw = request.body.read
    verify!(raw)
    event = JSON.parse(raw)
    settings.mutex.synchronize do
      halt 200, 'seen' unless settings.seen.add?(env['HTTP_WEBHOOK_ID'])
      order = settings.orders[event.dig('data', 'object', 'code')]
      new_status = STATUS[event['type']]
      halt 200, 'ignored' if order.nil? || new_status.nil?

      settings.deliveries << order['address'] if new_status == 'paid' && order['status'] != 'paid'
      order['status'] = new_status
    end
    'ok'
  end

  private

  def charge(code, amount, attempts = 4)
    path = '/api/public/v1/pix'
    uri = URI.join(ENV['SANDBOX_BASE_URL'], path)
    payload = { account_id: ENV['SANDBOX_ACCOUNT_ID'], amount: amount, code: code }.to_json
    ts = Time.now.to_i
    nonce = SecureRandom.urlsafe_base64(24)
    string = [ts, nonce, 'POST', path, OpenSSL::Digest::SHA256.hexdigest(payload)].join('.')
    headers = {
      'Authorization' => "Bearer #{ENV['SANDBOX_TOKEN']}", 'Content-Type' => 'application/json',
      'X-Timestamp' => ts.to_s, 'X-Nonce' => nonce,
      'X-Signature' => OpenSSL::HMAC.hexdigest('sha256', ENV['SANDBOX_SIGNING_SECRET'], string)
    }
    response = Net::HTTP.start(uri.host, uri.port, read_timeout: 5, max_retries: 0) { |http| http.post(path, payload, headers) }
    raise IOError, "HTTP #{response.code}" unless response.is_a?(Net::HTTPSuccess)

    JSON.parse(response.body)
  rescue IOError, SystemCallError, Net::ReadTimeout, Net::HTTPBadResponse, JSON::ParserError
    raise if attempts.zero?

    sleep 0.1
    charge(code, amount, attempts - 1)
  end

  def verify!(raw)
    id, time, signatures = %w[ID TIMESTAMP SIGNATURE].map { |name| env["HTTP_WEBHOOK_#{name}"].to_s }
    halt 400, 'too old' if (Time.now.to_i - time.to_i).abs > 300
    secret = Base64.decode64(ENV['SANDBOX_WEBHOOK_SECRET'].sub('whsec_', ''))
    signature = Base64.strict_encode64(OpenSSL::HMAC.digest('sha256', secret, "#{id}.#{time}.#{raw}"))
    halt 400, 'invalid signature' if signatures.split(' ').none? { |s| Rack::Utils.secure_compare("v1,#{signature}", s) }
  end
end
