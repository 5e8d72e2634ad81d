# Takes orders for cakes, with Sinatra. A PStore keeps orders, webhooks and the day's baking list.
require 'base64'
require 'digest'
require 'json'
require 'net/http'
require 'openssl'
require 'pstore'
require 'securerandom'
require 'sinatra/base'
require 'webrick'

module Payments
  PATH = '/api/public/v1/pix'.freeze
  RETRIED = [IOError, SystemCallError, Timeout::Error, JSON::ParserError, Net::HTTPBadResponse, Net::ProtocolError].freeze

  class Unavailable < StandardError; end

  # The code names the order in every try; timestamp and nonce are those of the try.
  def self.charge(code, amount)
    body = JSON.generate(code: code, account_id: ENV.fetch('SANDBOX_ACCOUNT_ID'), amount: amount)
    tries = 0
    begin
      tries += 1
      post(body)
    rescue Unavailable, *RETRIED
      raise if tries == 5

      sleep 0.1 * tries
      retry
    end
  end

  def self.post(body)
    uri = URI(ENV.fetch('SANDBOX_BASE_URL') + PATH)
    timestamp = Time.now.to_i.to_s
    nonce = SecureRandom.hex(16)
    content = "#{timestamp}.#{nonce}.POST.#{PATH}.#{Digest::SHA256.hexdigest(body)}"
    request = Net::HTTP::Post.new(
      uri,
      'Authorization' => "Bearer #{ENV.fetch('SANDBOX_TOKEN')}", 'Content-Type' => 'application/json',
      'X-Timestamp' => timestamp, 'X-Nonce' => nonce,
      'X-Signature' => OpenSSL::HMAC.hexdigest('SHA256', ENV.fetch('SANDBOX_SIGNING_SECRET'), content)
    )
    request.body = body
    response = Net::HTTP.start(uri.host, uri.port, open_timeout: 2, read_timeout: 5) { |http| http.request(request) }
    raise Unavailable, response.code if response.code.to_i >= 500 || response.code == '429'
    raise "The charge was refused: #{response.code} #{response.body}" unless response.code.start_with?('2')

    JSON.parse(response.body)
  end

  def self.signed?(env, body)
    id, timestamp, signatures = env.values_at('HTTP_WEBHOOK_ID', 'HTTP_WEBHOOK_TIMESTAMP', 'HTTP_WEBHOOK_SIGNATURE')
    return false unless id && signatures && timestamp.to_s.match?(/\A\d{1,12}\z/)
    return false if (Time.now.to_i - timestamp.to_i).abs > 300

    key = Base64.strict_decode64(ENV.fetch('SANDBOX_WEBHOOK_SECRET').delete_prefix('whsec_'))
    expected = "v1,#{Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.#{body}"))}"
    signatures.split.any? { |given| OpenSSL.secure_compare(given, expected) }
  end
end

class Bakery < Sinatra::Base
  set :store, PStore.new(ENV.fetch('BAKERY_STORE'), true)
  set :show_exceptions, false
  set :logging, false

  def transaction(&block)
    settings.store.transaction do |db|
      %i[orders webhooks].each { |table| db[table] ||= {} }
      db[:bake] ||= []
      block.call(db)
    end
  end

  put '/orders/:code' do
    wanted = JSON.parse(request.body.read)
    transaction { |db| db[:orders][params[:code]] ||= { cake: wanted['cake'], status: 'waiting' } }
    charge = Payments.charge(params[:code], wanted['amount'])
    status 201
    JSON.generate(pix: charge['qr_code'])
  end

  get '/orders/:code' do
    transaction do |db|
      order = db[:orders].fetch(params[:code])
      JSON.generate(order.merge(bake: db[:bake].count(params[:code])))
    end
  end

  get('/pid') { Process.pid.to_s }

  post '/webhooks' do
    body = request.body.read
    halt 401 unless Payments.signed?(request.env, body)
    event = JSON.parse(body)
    transaction do |db|
      id = request.env['HTTP_WEBHOOK_ID']
      next if db[:webhooks][id]

      db[:webhooks][id] = true
      apply(db, event['type'], event.dig('data', 'object', 'code'))
    end
    200
  end

  def apply(db, type, code)
    order = db[:orders][code]
    return if order.nil? || order[:status] == 'paid'

    case type
    when 'pix.settled'
      order[:status] = 'paid'
      db[:bake] << code
    when 'pix.expired', 'pix.failed'
      order[:status] = 'cancelled'
    end
  end
end

if $PROGRAM_NAME == __FILE__
  Bakery.run!(server: 'webrick', bind: '127.0.0.1', port: ENV.fetch('PORT', '3000'), quiet: true,
              server_settings: { Logger: WEBrick::Log.new(File::NULL), AccessLog: [] })
end
