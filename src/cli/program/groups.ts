/** What a group of commands is for, as `proofgate help` shows it. */
const GROUPS: Readonly<Record<string, string>> = {
  init: 'files to begin with',
  apps: 'the registry of apps: relying parties of verification, clients of sign-in',
  keys: 'keys that sign tokens and credentials',
  tokens: 'access tokens of sign-in',
  vkey: 'verifying keys',
  circuits: 'the circuit that development proves with',
  roots: 'Merkle roots that proofs may name',
  signups: 'enrolment records that a credential refresh needs',
  'orb-keys': 'public keys of orbs, which sign custody packages',
  refresh: 'the switch of credential refresh',
  credentials: 'records of issued credentials',
  proof: 'checks of proofs without a server',
  credential: 'checks of credentials without a server',
  hash: 'hashes that a client needs',
  dev: 'persons and proofs of the development profile',
  'dev person': 'persons who can prove',
  config: 'settings',
  migrate: 'tables of the store',
};

/**
 * What a group is for.
 *
 * @param path - Its words, e.g. `dev person`.
 * @throws Error for a group that nobody has described
 */
export function describeGroup(path: string): string {
  const description = GROUPS[path];
  if (description === undefined) throw new Error(`the group of commands "${path}" has no description`);
  return description;
}
