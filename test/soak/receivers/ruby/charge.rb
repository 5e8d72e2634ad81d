require 'json'
require 'net/http'
require 'openssl'
require 'securerandom'

# Creates the charge of an order, with the request signed.
def create_charge(code, amount)
  path = '/api/public/v1/pix'
  body = { account_id: ENV['SANDBOX_ACCOUNT_ID'], code: code, amount: amount }.to_json
  timestamp = Time.now.to_i.to_s
  nonce = SecureRandom.uuid
  text = [timestamp, nonce, 'POST', path, OpenSSL::Digest::SHA256.hexdigest(body)].join('.')
  headers = {
    'Authorization' => "Bearer #{ENV['SANDBOX_TOKEN']}",
    'Content-Type' => 'application/json',
    'X-Timestamp' => timestamp,
    'X-Nonce' => nonce,
    'X-Signature' => OpenSSL::HMAC.hexdigest('SHA256', ENV['SANDBOX_SIGNING_SECRET'], text)
  }
  response = Net::HTTP.post(URI(ENV['SANDBOX_BASE_URL'] + path), body, headers)
  raise "POST #{path}: #{response.code} #{response.body}" unless response.is_a?(Net::HTTPSuccess)
  JSON.parse(response.body)
end
