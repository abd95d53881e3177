// A relying party with coreos/go-oidc, for go.test.ts: discovery, code with PKCE, ID token, userinfo.
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// login is the state of a started sign-in.
type login struct{ nonce, verifier string }

// signedIn is the content of the page after a sign-in.
type signedIn struct {
	Claims   map[string]any `json:"claims"`
	Userinfo map[string]any `json:"userinfo"`
}

type relyingParty struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	config   oauth2.Config
	logins   sync.Map
}

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	endpoint := provider.Endpoint()
	if os.Getenv("AUTH_METHOD") == "client_secret_post" {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	} else {
		endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	address := "127.0.0.1:" + os.Getenv("PORT")
	clientID := os.Getenv("CLIENT_ID")
	party := &relyingParty{
		provider: provider,
		verifier: provider.Verifier(&oidc.Config{ClientID: clientID}),
		config: oauth2.Config{
			ClientID:     clientID,
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint:     endpoint,
			RedirectURL:  "http://" + address + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
		},
	}
	http.HandleFunc("/login", party.login)
	http.HandleFunc("/callback", party.callback)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready")
	log.Fatal(http.Serve(listener, nil))
}

func (party *relyingParty) login(w http.ResponseWriter, r *http.Request) {
	state, started := random(), login{nonce: random(), verifier: oauth2.GenerateVerifier()}
	party.logins.Store(state, started)
	url := party.config.AuthCodeURL(state, oidc.Nonce(started.nonce), oauth2.S256ChallengeOption(started.verifier))
	http.Redirect(w, r, url, http.StatusFound)
}

func (party *relyingParty) callback(w http.ResponseWriter, r *http.Request) {
	page, err := party.finish(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
		return
	}
	_ = json.NewEncoder(w).Encode(page)
}

func (party *relyingParty) finish(r *http.Request) (*signedIn, error) {
	query := r.URL.Query()
	stored, ok := party.logins.LoadAndDelete(query.Get("state"))
	if !ok {
		return nil, errors.New("unknown state")
	}
	started := stored.(login)
	if refusal := query.Get("error"); refusal != "" {
		return nil, fmt.Errorf("%s: %s", refusal, query.Get("error_description"))
	}
	token, err := party.config.Exchange(r.Context(), query.Get("code"), oauth2.VerifierOption(started.verifier))
	if err != nil {
		return nil, err
	}
	raw, _ := token.Extra("id_token").(string)
	idToken, err := party.verifier.Verify(r.Context(), raw)
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != started.nonce {
		return nil, errors.New("the nonce differs")
	}
	if err := idToken.VerifyAccessToken(token.AccessToken); err != nil {
		return nil, err
	}
	info, err := party.provider.UserInfo(r.Context(), oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, err
	}
	if info.Subject != idToken.Subject {
		return nil, errors.New("the subject of userinfo differs")
	}
	page := &signedIn{}
	if err := idToken.Claims(&page.Claims); err != nil {
		return nil, err
	}
	return page, info.Claims(&page.Userinfo)
}

func random() string {
	bytes := make([]byte, 24)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}
