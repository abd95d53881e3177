import { createKeyOperator, removeKey } from '../../../oidc/keys/index.ts';
import type { Command } from '../../program/command.ts';
import { revokeCredential } from './credential.ts';
import { USE_OPTION, useOf } from './key-uses.ts';
import { earlyWarning } from './rotate.ts';

/** `keys remove KID`: takes a key of sign-in out of the set, or revokes one of credentials, after a question. */
export const keysRemove: Command = {
  path: ['keys', 'remove'],
  summary:
    'take a compromised key out at once: one of sign-in is gone, one of credentials is listed as revoked',
  details: `Running servers follow within storage.cacheSeconds.
Sign-in: its tokens die. An active key is replaced by the next, a next one by a new one. Other verifiers follow when
their cached key set ends, which is up to keys.jwksMaxAgeSeconds later.
Credentials: the key signs no more and cannot come back, and its seed is erased from the store. Where it was active, make
another with \`keys rotate --use credential\`, best before.`,
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
