"""A relying party with Authlib in Flask, for python.test.ts: discovery, code with PKCE, ID token, userinfo.

Authlib builds the decoder of ID tokens from the algorithms in the metadata.
"""

import os
import sys

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, jsonify
from werkzeug.serving import make_server

app = Flask(__name__)
app.secret_key = os.urandom(32)
redirect_uri = f"http://127.0.0.1:{os.environ['PORT']}/callback"

provider = OAuth(app).register(
    "proofgate",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{os.environ['ISSUER']}/.well-known/openid-configuration",
    client_kwargs={
        "scope": "openid profile email",
        "code_challenge_method": "S256",
        "token_endpoint_auth_method": os.environ["AUTH_METHOD"],
    },
)


@app.get("/login")
def login():
    return provider.authorize_redirect(redirect_uri)


@app.get("/callback")
def callback():
    try:
        token = provider.authorize_access_token()
    except OAuthError as refusal:
        return jsonify(error=str(refusal)), 400
    return jsonify(claims=token["userinfo"], userinfo=provider.userinfo())


if __name__ == "__main__":
    server = make_server("127.0.0.1", int(os.environ["PORT"]), app)
    print("ready")
    sys.stdout.flush()
    server.serve_forever()
