ENV['APP_ENV'] = 'test'
require 'minitest/autorun'
require 'rack/handler/webrick'
require_relative 'flowers'

class FlowersTest < Minitest::Test
  PORT = ENV.fetch('PORT', 3000).to_i

  def setup
    ready = Queue.new
    quiet = { Logger: WEBrick::Log.new(File::NULL), AccessLog: [] }
    @thread = Thread.new do
      Rack::Handler::WEBrick.run(Flowers, Host: '127.0.0.1', Port: PORT, **quiet) { |server| ready << server }
    end
    @server = ready.pop
  end

  def teardown
    @server.shutdown
    @thread.join
  end

  def get(path)
    JSON.parse(Net::HTTP.get(URI("http://127.0.0.1:#{PORT}#{path}")))
  end

  def test_flowers_are_delivered_when_they_are_paid
    order = { code: "roses-#{SecureRandom.hex(4)}", amount: '120.00', address: 'Rua A, 1' }
    created = Net::HTTP.post(URI("http://127.0.0.1:#{PORT}/orders"), order.to_json)
    assert_equal '201', created.code

    settled = Net::HTTP.post(URI("#{ENV['SANDBOX_URL']}/_sandbox/charges/#{order[:code]}/settle"), '')
    assert_equal '200', settled.code, settled.body

    200.times do
      break if get('/deliveries').any?

      sleep 0.1
    end
    Net::HTTP.get(URI("#{ENV['SANDBOX_URL']}/_sandbox/idle"))
    assert_equal ['Rua A, 1'], get('/deliveries')
    assert_equal 'paid', get("/orders/#{order[:code]}")['status']
  end
end
