/** A table whose rows expire: it has `expires_at` with an index. */
export interface ExpiringTable {
  readonly name: string;
  readonly key: readonly string[];
  /** Statement that removes the rows of other tables that belonged to removed rows. */
  readonly cleanUp?: string;
}

/** Tables whose size is reported. */
export const COUNTED_TABLES: readonly string[] = [
  'apps',
  'clients',
  'client_secrets',
  'client_secret_keys',
  'client_logos',
  'app_policies',
  'roots',
  'verifying_keys',
  'root_sources',
  'root_events',
  'leases',
  'issuers4',
  'oprf_keys4',
  'nullifiers',
  'actions',
  'bridge_messages',
  'bridge_charges',
  'bridge_usage',
  'signing_keys',
  'signin_transactions',
  'signin_usage',
  'pushed_requests',
  'signin_sessions',
  'logout_notices',
  'authorization_codes',
  'revoked_tokens',
  'spent_signins',
  'refresh_families',
  'dpop_proofs',
  'signup',
  'record_versions',
  'orb_keys',
  'sub_bindings',
  'issued_credentials',
  'refresh_attempts',
  'refresh_challenges',
  'service_switches',
  'issuer_keys',
  'nodes',
  'backups',
  'integrity_uses',
  'session_proof_uses',
  'audit_log',
  'audit_head',
  'admin_tokens',
  'admin_answers',
  'usage_days',
  'action_counts',
  'refusal_hours',
  'node_states',
  'outbox',
  'webhook_outcomes',
  'development_nodes',
  'development_persons',
];

/**
 * Tables that the sweep empties by `expires_at` alone; `sweepBridge` empties those of the bridge. Nullifiers do not
 * expire, and roots are pruned.
 */
export const EXPIRING_TABLES: readonly ExpiringTable[] = [
  {
    name: 'client_secrets',
    key: ['app_id', 'secret_id'],
    cleanUp:
      'delete from client_secret_keys where not exists (select 1 from client_secrets s where s.app_id = client_secret_keys.app_id and s.secret_id = client_secret_keys.secret_id)',
  },
  { name: 'signing_keys', key: ['kid'] },
  { name: 'signin_transactions', key: ['txn'] },
  { name: 'signin_usage', key: ['holder', 'minute', 'slot'] },
  { name: 'pushed_requests', key: ['reference_hash'] },
  { name: 'signin_sessions', key: ['session_hash'] },
  { name: 'logout_notices', key: ['sid'] },
  { name: 'authorization_codes', key: ['code_hash'] },
  { name: 'revoked_tokens', key: ['jti'] },
  { name: 'spent_signins', key: ['hash'] },
  { name: 'refresh_families', key: ['lookup_hash'] },
  { name: 'dpop_proofs', key: ['proof_hash'] },
  { name: 'refresh_attempts', key: ['address_key', 'minute'] },
  { name: 'refresh_challenges', key: ['challenge_hash'] },
  { name: 'nodes', key: ['node_id'] },
  { name: 'integrity_uses', key: ['use_hash'] },
  { name: 'session_proof_uses', key: ['use_hash'] },
  { name: 'admin_tokens', key: ['token_id'] },
  { name: 'admin_answers', key: ['key_hash'] },
  { name: 'usage_days', key: ['app_id', 'day', 'environment', 'kind'] },
  { name: 'refusal_hours', key: ['hour', 'code', 'route'] },
  { name: 'node_states', key: ['node_id'] },
  { name: 'outbox', key: ['id'] },
];
