/** Refusals of the registries of apps and roots, and of proof files. */
export const REGISTRY_ERRORS = {
  'root.invalid': {
    title: 'A root line or option has a wrong value',
    cause: 'The message names the line and the member.',
    cure: 'Correct the value; nothing was stored.',
    retry: 'never',
  },
  'app.invalid': {
    title: 'A field of the app has a wrong value',
    cause: 'The message names the field and the rule.',
    cure: 'Correct the value.',
    retry: 'never',
  },
  'issuer.unknown': {
    title: 'No World ID 4.0 key of this issuer',
    cause: 'The environment has no key for the issuer_schema_id, or it was removed.',
    cure: 'See `proofgate issuers list`.',
    retry: 'never',
  },
  'oprf_key.unknown': {
    title: 'No OPRF key of this relying party',
    cause: 'The environment has no OPRF key for the rp_id, or it was removed.',
    cure: 'See `proofgate oprf-keys list`.',
    retry: 'never',
  },
  'app.rp_id_taken': {
    title: 'Another app has this rp_id',
    cause: 'An rp_id belongs to one app, whether it was given or follows from the app_id.',
    cure: 'See `proofgate apps list`; choose another rp_id with --rp-id, or change or remove the other app.',
    retry: 'never',
  },
  'app.exists': {
    title: 'The app exists already',
    cause: 'Another app has this app_id or the rp_id derived from it.',
    cure: 'Choose another id, or change the existing app.',
    retry: 'never',
  },
  'app.unknown': {
    title: 'No app with this id',
    cause: 'The id is neither an app_id nor an rp_id of the registry.',
    cure: 'See `proofgate apps list`.',
    retry: 'never',
  },
  'app.read_only': {
    title: 'The app is defined by the configuration',
    cause: 'It is an entry of apps.list, which neither commands nor the admin API change.',
    cure: 'Change the entry in the configuration and start the service again.',
    retry: 'never',
  },
  'app.changed': {
    title: 'The app was changed meanwhile',
    cause: 'Somebody else changed the app since its version was read.',
    cure: 'Read the app again and repeat the change on it.',
    retry: 'never',
  },
  'app.public': {
    title: 'A public client has no secret',
    cause: 'Its token_endpoint_auth_method is none, so a secret would never be used.',
    cure: 'Give it another method first: `proofgate apps update ID --auth-method client_secret_basic`.',
    retry: 'never',
  },
  'app.two_secrets': {
    title: 'The client has two live secrets already',
    cause: 'A secret was rotated, and the old one has not expired yet.',
    cure: 'Wait until it expires, or remove one: `proofgate apps show ID`, `proofgate apps remove-secret ID SECRET_ID`.',
    retry: 'later',
  },
  'app.secret_unknown': {
    title: 'No live secret with this id',
    cause: 'The app never had it, it was removed, or it has expired.',
    cure: 'See `proofgate apps show ID`.',
    retry: 'never',
  },
  'entry.malformed': {
    title: 'An entry of a proof file cannot be read',
    cause: 'It is not JSON, or lacks inputs or proof.',
    cure: 'Give the members of the proof data, or one {"inputs": […], "proof": "0x…"} per line.',
    retry: 'never',
  },
  'entry.newer_protocol': {
    title: 'World ID 4.0 requests are not read from files',
    cause: 'The keys and the root that such a proof is checked against are state of a service.',
    cure: 'Send the request to POST /api/v4/verify/{rp_id} of a service with verify.worldid4.enabled.',
    retry: 'never',
  },
} as const;
