import { createKeyOperator, removeKey } from '../../../oidc/keys/operate.ts';
import type { Command } from '../../program/command.ts';
import { revokeCredential } from './credential.ts';
import { USE_OPTION, useOf } from './key-uses.ts';
import { earlyWarning } from './rotate.ts';

/** `keys remove KID`: removes a sign-in key from the set, or revokes a credential key, after confirmation. */
export const keysRemove: Command = {
  path: ['keys', 'remove'],
  summary:
    'remove a compromised key immediately: a sign-in key is deleted, a credential key is listed as revoked',
  details: `Running servers follow within storage.cacheSeconds.
Sign-in: its tokens become invalid. An active key is replaced by the next one, a next key by a new one. Other verifiers
follow when their cached key set expires, up to keys.jwksMaxAgeSeconds later.
Credentials: the key never signs again, and its seed is erased from the store. If it is the active one, make another with
\`keys rotate --use credential\`, preferably first.`,
  arguments: [{ name: 'kid', description: 'the kid, see `keys list`' }],
  options: [USE_OPTION, { flags: '--yes', description: 'do not ask' }],
  run: async (input, context) => {
    const kid = input.argument('kid');
    const loaded = await context.loadConfig();
    if (useOf(input) === 'credential') return await revokeCredential(kid, loaded, context);
    const { config } = loaded;
    return await context.withStore(loaded, async ({ signingKeys }) => {
      await context.confirm(`Remove signing key ${kid}? Its tokens are refused from now on.`);
      const change = await removeKey(kid, createKeyOperator(signingKeys, config, context.now));
      if (change.isEarly) context.note(earlyWarning(config.keys.jwksMaxAgeSeconds));
      await context.print(
        { removed: kid, active: change.activeKid, next: change.nextKid, early: change.isEarly },
        `removed ${kid}\nactive  ${change.activeKid}\nnext    ${change.nextKid}`,
      );
      return 0;
    });
  },
};
