import { ServiceError } from '../../errors/service-error.ts';
import { YES_OPTION } from '../operations/operation-command.ts';
import type { Command } from '../program/command.ts';

/** `signin confirm-rp`: replaces the relying party on which the subs of World ID 4.0 depend, after confirmation. */
export const signinConfirmRp: Command = {
  path: ['signin', 'confirm-rp'],
  summary: 'confirm another signin.worldid4.rpId: every sub of World ID 4.0 changes',
  details: `A service does not start with another rp_id than the one in the store. This command shows both, replaces the one in the
store, and forgets the sessions of World ID 4.0, browsers and passkeys of the people of all apps, which nobody can prove any
more. Everybody who signed in with World ID 4.0 is then a new person to every app; subs of World ID 3.0 stay. Sessions of
sign-in and refresh tokens keep the former subs until they end: \`sessions revoke\`, \`refresh-tokens revoke\`.
Stop the servers that have the former rp_id first: they would go on storing sessions of it. The command may be repeated.`,
  options: [YES_OPTION],
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    const configured = loaded.config.signin.worldid4.rpId;
    if (configured === undefined) throw new ServiceError('signin.worldid4_off');
    return await context.withStore(loaded, async (store) => {
      const stored = await store.relyingParty.find();
      if (stored === undefined || stored === configured) {
        const about = stored === undefined ? 'the first start stores it' : 'nothing to confirm';
        await context.print(
          { stored: stored ?? null, configured, replaced: false },
          `${configured} is configured, ${stored ?? 'none'} is stored: ${about}`,
        );
        return 0;
      }
      await context.confirm(
        `Replace the relying party ${stored} by ${configured}? Everybody who signed in with World ID 4.0 becomes a new person to every app.`,
      );
      const forgotten = await store.relyingParty.replace(configured, stored, context.now());
      await context.print(
        { stored, configured, replaced: true, forgotten_sessions: forgotten },
        `replaced ${stored} by ${configured}; forgot ${forgotten} sessions of World ID 4.0`,
      );
      return 0;
    });
  },
};
