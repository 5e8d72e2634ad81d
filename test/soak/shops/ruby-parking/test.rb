require 'minitest/autorun'
require_relative 'parking'

describe Parking do
  before do
    @parking = Parking.new(ENV)
    port = Integer(ENV.fetch('PORT', '3000'))
    @server = make_parking_server(@parking, port)
    @thread = Thread.new { @server.start }
    @shop = "http://127.0.0.1:#{port}"
  end

  after do
    @server.shutdown
    @thread.join
  end

  it 'opens the gate once for a paid ticket' do
    response = Net::HTTP.post(URI("#{@shop}/tickets"), JSON.dump(plate: 'ABC1D23', amount: '15.00'))
    _(response.code).must_equal '200', response.body
    code = JSON.parse(response.body)['code']
    _(Net::HTTP.post(URI("#{ENV['SANDBOX_URL']}/_sandbox/charges/#{code}/settle"), '').code).must_equal '200'
    deadline = Time.now + 20
    sleep 0.05 while @parking.openings('ABC1D23').zero? && Time.now < deadline
    Net::HTTP.get(URI("#{ENV['SANDBOX_URL']}/_sandbox/idle"))
    _(@parking.openings('ABC1D23')).must_equal 1
  end
end
