require 'base64'
require 'openssl'

# Verifies the signatures of a webhook, but not the age of its timestamp.
def signed?(id, timestamp, header, body)
  key = Base64.decode64(ENV['SANDBOX_WEBHOOK_SECRET'].delete_prefix('whsec_'))
  expected = 'v1,' + Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body.b))
  header.split(' ').any? { |entry| entry.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(entry, expected) }
end
