# A parking garage: a paid ticket opens the gate. WEBrick without a framework.
require 'base64'
require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'
require 'webrick'

class Parking
  Ticket = Struct.new(:plate, :state)

  def initialize(env)
    @env = env
    @tickets = {}
    @webhook_ids = {}
    @gate_openings = Hash.new(0)
    @mutex = Mutex.new
  end

  def issue(plate, amount)
    code = "ticket-#{plate}"
    @mutex.synchronize { @tickets[code] ||= Ticket.new(plate, :unpaid) }
    { code: code, qr_code: charge(code, amount)['qr_code'] }
  end

  def openings(plate)
    @mutex.synchronize { @gate_openings[plate] }
  end

  def receive(id, event)
    @mutex.synchronize do
      return if @webhook_ids.key?(id)

      handle(event)
      @webhook_ids[id] = true
    end
  end

  def genuine?(request)
    id = request['webhook-id']
    timestamp = request['webhook-timestamp']
    return false if (Time.now.to_i - Integer(timestamp, 10)).abs > 300

    key = Base64.decode64(@env.fetch('SANDBOX_WEBHOOK_SECRET')[6..])
    mac = OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.#{request.body}")
    expected = "v1,#{Base64.strict_encode64(mac)}"
    request['webhook-signature'].split(' ').any? { |signature| OpenSSL.secure_compare(signature, expected) }
  rescue ArgumentError, TypeError, NoMethodError
    false
  end

  private

  def handle(event)
    ticket = @tickets[event['data']['object']['code']]
    case event['type']
    when 'pix.settled'
      return if ticket.nil? || ticket.state == :paid

      ticket.state = :paid
      @gate_openings[ticket.plate] += 1
    when 'pix.expired', 'pix.failed'
      ticket.state = :void if ticket && ticket.state == :unpaid
    when 'withdrawal.settled', 'withdrawal.failed'
      nil
    else
      raise ArgumentError, "unexpected event #{event['type']}"
    end
  end

  def charge(code, amount)
    path = '/api/public/v1/pix'
    body = JSON.dump('code' => code, 'account_id' => @env['SANDBOX_ACCOUNT_ID'], 'amount' => amount)
    5.times do |try|
      sleep 0.1 * try
      begin
        response = Net::HTTP.post(URI(@env['SANDBOX_BASE_URL'] + path), body, headers(path, body))
        return JSON.parse(response.body) if %w[200 201].include?(response.code)
      rescue IOError, SystemCallError, Timeout::Error, JSON::ParserError, Net::HTTPBadResponse => e
        warn e.message
      end
    end
    raise "No charge for #{code}"
  end

  def headers(path, body)
    timestamp = Time.now.to_i.to_s
    nonce = SecureRandom.alphanumeric(32)
    content = "#{timestamp}.#{nonce}.POST.#{path}.#{OpenSSL::Digest::SHA256.hexdigest(body)}"
    {
      'authorization' => "Bearer #{@env['SANDBOX_TOKEN']}", 'content-type' => 'application/json',
      'x-timestamp' => timestamp, 'x-nonce' => nonce,
      'x-signature' => OpenSSL::HMAC.hexdigest('SHA256', @env['SANDBOX_SIGNING_SECRET'], content)
    }
  end
end

def make_parking_server(parking, port)
  server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: port, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
  server.mount_proc('/webhooks') do |request, response|
    response.status = 401
    next unless parking.genuine?(request)

    parking.receive(request['webhook-id'], JSON.parse(request.body))
    response.status = 200
  end
  server.mount_proc('/tickets') do |request, response|
    wanted = JSON.parse(request.body)
    response.body = JSON.dump(parking.issue(wanted['plate'], wanted['amount']))
  end
  server
end
