import { createKeyOperator, removeKey } from '../oidc/keys/index.ts';
import type { Command } from './command.ts';
import { earlyWarning } from './keys-rotate.ts';

/** `keys remove KID`: takes a key out of the set after a question. */
export const keysRemove: Command = {
  path: ['keys', 'remove'],
  summary: 'take a compromised key of sign-in out of the set at once; its tokens die',
  details: `An active key is replaced by the next, a next one by a new one. Running servers follow within
storage.cacheSeconds; other verifiers when their cached key set ends, which is up to keys.jwksMaxAgeSeconds later.`,
  arguments: [{ name: 'kid', description: 'the kid, see `keys list`' }],
  options: [{ flags: '--yes', description: 'do not ask' }],
  run: async (input, context) => {
    const kid = input.argument('kid');
    const { config, ...loaded } = await context.loadConfig();
    return await context.withStore({ config, ...loaded }, async ({ signingKeys }) => {
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
