require 'json'
require 'minitest/autorun'
require 'net/http'
require 'rbconfig'
require 'tmpdir'

PORT = ENV.fetch('PORT', '3000')
SHOP = "http://127.0.0.1:#{PORT}".freeze
SANDBOX = "#{ENV.fetch('SANDBOX_URL')}/_sandbox".freeze

# Runs the application until the tests have ended, and starts it again when it dies.
class Foreman
  def initialize(folder)
    env = { 'BAKERY_STORE' => File.join(folder, 'bakery.pstore'), 'PORT' => PORT, 'APP_ENV' => 'production' }
    app = File.join(__dir__, 'app.rb')
    @thread = Thread.new do
      until @stopping
        @pid = Process.spawn(env, RbConfig.ruby, app, out: File::NULL, err: File::NULL)
        Process.wait(@pid)
      end
    end
  end

  def stop
    @stopping = true
    until @thread.join(0.1)
      begin
        Process.kill('KILL', @pid)
      rescue Errno::ESRCH
        next
      end
    end
  end
end

FOLDER = Dir.mktmpdir
FOREMAN = Foreman.new(FOLDER)
Minitest.after_run do
  FOREMAN.stop
  FileUtils.remove_entry(FOLDER)
end

class BakeryTest < Minitest::Test
  def request(kind, url, body = nil)
    uri = URI(url)
    message = Net::HTTP.const_get(kind).new(uri, 'content-type' => 'application/json')
    message.body = JSON.generate(body) if body
    response = Net::HTTP.start(uri.host, uri.port, read_timeout: 30) { |http| http.request(message) }
    assert_includes 200..299, response.code.to_i, "#{kind} #{url}: #{response.body}"
    JSON.parse(response.body)
  end

  # The application may be starting.
  def shop(kind, path, body = nil)
    deadline = Time.now + 25
    begin
      request(kind, SHOP + path, body)
    rescue SystemCallError, EOFError
      raise if Time.now > deadline

      sleep 0.1
      retry
    end
  end

  def wait_for_status(code, status)
    deadline = Time.now + 25
    sleep 0.05 until shop(:Get, "/orders/#{code}")['status'] == status || Time.now > deadline
    request(:Get, "#{SANDBOX}/idle")
    shop(:Get, "/orders/#{code}")
  end

  def test_a_paid_cake_is_baked_once
    shop(:Put, '/orders/cake-1', cake: 'brigadeiro', amount: '80.00')
    request(:Post, "#{SANDBOX}/charges/cake-1/settle")
    assert_equal({ 'cake' => 'brigadeiro', 'status' => 'paid', 'bake' => 1 }, wait_for_status('cake-1', 'paid'))
  end

  def test_an_unpaid_cake_is_cancelled
    shop(:Put, '/orders/cake-2', cake: 'bolo de rolo', amount: '95.00')
    request(:Post, "#{SANDBOX}/charges/cake-2/expire")
    assert_equal({ 'cake' => 'bolo de rolo', 'status' => 'cancelled', 'bake' => 0 }, wait_for_status('cake-2', 'cancelled'))
  end
end
