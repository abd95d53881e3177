/** Descriptions of the command groups, as `proofgate help` shows them. */
const GROUPS: Readonly<Record<string, string>> = {
  init: 'initial configuration files',
  apps: 'the registry of apps: relying parties of verification, clients of sign-in',
  keys: 'keys that sign tokens and credentials',
  sessions: 'people who stay signed in to an app on a browser',
  people: 'people whom an app knows by World ID 4.0',
  signin: 'the relying party of sign-in with World ID 4.0',
  tokens: 'access tokens and refresh tokens of sign-in',
  'refresh-tokens': 'families of refresh tokens of an app',
  vkey: 'verifying keys',
  circuits: 'the circuit for proofs in development',
  roots: 'Merkle roots that proofs may name',
  'roots sources': 'where the registry of roots keeps itself current from',
  issuers: 'keys of World ID 4.0 credential issuers',
  'oprf-keys': 'OPRF keys of relying parties for World ID 4.0',
  signups: 'enrolment records that a credential refresh needs',
  'orb-keys': 'public keys of orbs, which sign custody packages',
  refresh: 'the switch for credential refresh',
  credentials: 'records of issued credentials',
  proof: 'checks of proofs without a server',
  credential: 'checks of credentials without a server',
  hash: 'hashes that a client needs',
  rp: 'requests of a relying party',
  dev: 'persons and proofs of the development profile',
  'dev person': 'persons who can make proofs',
  'dev worldid4': 'state for World ID 4.0 proofs of development',
  config: 'settings',
  migrate: 'tables of the store',
  store: 'moves of a store to another database',
  'admin-tokens': 'tokens of the admin API',
  audit: 'the record of who changed what',
  webhooks: 'events for other systems',
  nodes: 'the processes that share a PostgreSQL store',
};

/**
 * Returns the description of a command group.
 *
 * @param path - Its words, e.g. `dev person`.
 * @throws Error for a group without a description
 */
export function describeGroup(path: string): string {
  const description = GROUPS[path];
  if (description === undefined) throw new Error(`the group of commands "${path}" has no description`);
  return description;
}
