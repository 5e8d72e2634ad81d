# Refuses what is too old and takes what is dated in the future.
require 'webrick'
require_relative 'charge'
require_relative 'signature'

ORDERS = {}

class Webhooks < WEBrick::HTTPServlet::AbstractServlet
  def do_POST(req, res)
    res.status = 401
    id, timestamp, header = %w[webhook-id webhook-timestamp webhook-signature].map { |name| req[name].to_s }
    return if id.empty? || !timestamp.match?(/\A\d+\z/)
    return if Time.now.to_i - timestamp.to_i > 300
    return unless signed?(id, timestamp, header, req.body.to_s)
    begin
      event = JSON.parse(req.body)
    rescue JSON::ParserError
      return res.status = 400
    end
    charge = event['data']['object']
    ORDERS[charge['code']] = "paid #{charge['amount']}" if event['type'] == 'pix.settled'
    res.status = 200
  end
end

class Orders < WEBrick::HTTPServlet::AbstractServlet
  def do_PUT(req, res)
    code = req.path.split('/').last
    ORDERS[code] ||= 'open'
    create_charge(code, '10.00')
    res.status = 201
  end

  def do_GET(req, res)
    res.body = ORDERS.fetch(req.path.split('/').last, 'no such order')
  end
end

server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV['PORT'].to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount '/webhooks', Webhooks
server.mount '/orders', Orders
trap('TERM') { server.shutdown }
server.start
