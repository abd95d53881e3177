# frozen_string_literal: true

# A relying party with openid_connect, for ruby.test.ts: discovery, code with PKCE, ID token, userinfo.
require 'json'
require 'openid_connect'
require 'securerandom'
require 'webrick'

issuer = ENV.fetch('ISSUER')
client_id = ENV.fetch('CLIENT_ID')
port = Integer(ENV.fetch('PORT'))
auth_method = ENV.fetch('AUTH_METHOD') == 'client_secret_post' ? :body : :basic

# Discovery uses https by default.
SWD.url_builder = URI::HTTP if issuer.start_with?('http://')
provider = OpenIDConnect::Discovery::Provider::Config.discover!(issuer)

logins = {}
new_client = lambda do
  OpenIDConnect::Client.new(
    identifier: client_id,
    secret: ENV.fetch('CLIENT_SECRET'),
    redirect_uri: "http://127.0.0.1:#{port}/callback",
    authorization_endpoint: provider.authorization_endpoint,
    token_endpoint: provider.token_endpoint,
    userinfo_endpoint: provider.userinfo_endpoint
  )
end

server = WEBrick::HTTPServer.new(
  BindAddress: '127.0.0.1',
  Port: port,
  AccessLog: [],
  Logger: WEBrick::Log.new($stderr, WEBrick::Log::ERROR)
)

server.mount_proc('/login') do |_request, response|
  state, nonce, verifier = Array.new(3) { SecureRandom.urlsafe_base64(48) }
  logins[state] = { nonce: nonce, verifier: verifier }
  response['Location'] = new_client.call.authorization_uri(
    scope: %i[profile email],
    state: state,
    nonce: nonce,
    code_challenge: Base64.urlsafe_encode64(OpenSSL::Digest::SHA256.digest(verifier), padding: false),
    code_challenge_method: 'S256'
  )
  response.status = 302
end

server.mount_proc('/callback') do |request, response|
  response.content_type = 'application/json'
  begin
    login = logins.delete(request.query['state']) or raise 'unknown state'
    raise "#{request.query['error']}: #{request.query['error_description']}" if request.query['error']

    client = new_client.call
    client.authorization_code = request.query['code']
    token = client.access_token!(client_auth_method: auth_method, code_verifier: login[:verifier])
    id_token = OpenIDConnect::ResponseObject::IdToken.decode(token.id_token, provider.jwks)
    id_token.verify!(issuer: provider.issuer, client_id: client_id, nonce: login[:nonce])
    userinfo = token.userinfo!
    raise 'the subject of userinfo differs' unless userinfo.sub == id_token.sub

    response.body = JSON.generate(claims: id_token.raw_attributes, userinfo: userinfo.raw_attributes)
  rescue StandardError => e
    response.status = 400
    response.body = JSON.generate(error: e.message)
  end
end

%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
$stdout.puts 'ready'
$stdout.flush
server.start
