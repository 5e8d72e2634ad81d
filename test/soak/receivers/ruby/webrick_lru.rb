# Remembers the last 500 ids.
require 'webrick'
require_relative 'charge'
require_relative 'signature'

orders = {}
recent = []
lock = Mutex.new
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV['PORT'].to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))

server.mount_proc '/webhooks' do |req, res|
  id, timestamp, header = req['webhook-id'].to_s, req['webhook-timestamp'].to_s, req['webhook-signature'].to_s
  body = req.body.to_s
  res.status = 400
  next if req.request_method != 'POST' || id.empty? || !timestamp.match?(/\A\d{1,12}\z/)
  next if (Time.now.to_i - timestamp.to_i).abs > 300 || !signed?(id, timestamp, header, body)
  event = JSON.parse(body) rescue next
  res.status = 200
  lock.synchronize do
    next if recent.include?(id)
    recent.push(id)
    recent.shift if recent.size > 500
    order = (orders[event['data']['object']['code']] ||= { status: 'pending', receipts: 0 })
    if event['type'] == 'pix.settled'
      order[:status] = 'paid'
      order[:receipts] += 1
    end
  end
end

class Orders < WEBrick::HTTPServlet::AbstractServlet
  def do_PUT(req, res)
    code = req.path.split('/').last
    @options[0][code] ||= { status: 'pending', receipts: 0 }
    create_charge(code, req.query['amount'] || '10.00')
    res.status = 201
  end

  def do_GET(req, res)
    res['content-type'] = 'application/json'
    res.body = (@options[0][req.path.split('/').last] || { error: 'not found' }).to_json
  end
end
server.mount '/orders', Orders, orders
trap('TERM') { server.shutdown }
server.start
