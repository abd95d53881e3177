import type { AuditWriter } from '../audit/audit-log.ts';
import { auditAll } from '../audit/audit-writer.ts';
import { columns, text } from '../columns.ts';
import type { Driver } from '../drivers/driver.ts';
import { point, write } from '../sql.ts';
import { forgetPeople, forgetPeopleInBatches } from './people.ts';

const RELYING_PARTY = columns({ rpId: text });

const ID = 1;
const relyingParty = point(
  RELYING_PARTY,
  `select ${RELYING_PARTY.list()} from signin_relying_party where id = $1`,
);
const insertRelyingParty = write(
  'insert into signin_relying_party (id, rp_id, confirmed_at) values ($1,$2,$3) on conflict (id) do nothing',
);
const putRelyingParty = write(
  'insert into signin_relying_party (id, rp_id, confirmed_at) values ($1,$2,$3) on conflict (id) do update set rp_id = excluded.rp_id, confirmed_at = excluded.confirmed_at',
);

/** The relying party of World ID 4.0 on which the subs of sign-in depend. Every write is durable when it resolves. */
export type RelyingPartyStore = ReturnType<typeof createRelyingPartyStore>;

/** Creates the store of the relying party of sign-in over a driver. */
export function createRelyingPartyStore(driver: Driver, audit: AuditWriter) {
  const find = async (): Promise<string | undefined> => (await driver.read(relyingParty(ID)))[0]?.rpId;
  return {
    /** Returns the rp_id, if there is one. */
    find: (): Promise<string | undefined> => find(),
    /** Returns the rp_id; the first one is stored. */
    async establish(rpId: string, now: number): Promise<string> {
      const known = await find();
      if (known !== undefined) return known;
      await driver.write([insertRelyingParty(ID, rpId, now)]);
      return (await find()) ?? rpId;
    },
    /**
     * Replaces the rp_id, and with it every sub: forgets the people of all clients, whose sessions nobody can prove any
     * more. Records it in the audit log. May be repeated if it was interrupted.
     *
     * @returns Number of sessions of World ID 4.0 that were forgotten.
     */
    async replace(rpId: string, before: string | undefined, now: number): Promise<number> {
      const forgotten = await forgetPeopleInBatches(driver);
      const change = {
        action: 'signin.relying_party_replaced',
        target: rpId,
        ...(before === undefined ? {} : { before: { rp_id: before } }),
        after: { rp_id: rpId },
      };
      await auditAll(audit, [putRelyingParty(ID, rpId, now), ...forgetPeople()], change);
      return forgotten;
    },
  };
}
