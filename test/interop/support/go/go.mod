module proofgate.test/go-oidc

go 1.19

require (
	github.com/coreos/go-oidc/v3 v3.9.0
	golang.org/x/oauth2 v0.25.0
)

require (
	github.com/go-jose/go-jose/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.24.0 // indirect
)
