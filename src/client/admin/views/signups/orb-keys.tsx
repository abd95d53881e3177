import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { OrbKey } from '../../api/types.ts';
import { useView } from '../../context.ts';
import { action } from '../../parts/action.tsx';
import { card, details, empty, stateBadge } from '../../parts/content.tsx';
import { FieldError, form } from '../../parts/form.tsx';
import { loaded, useResource } from '../../parts/resource.tsx';
import { type Column, code, column, controls, head, table } from '../../parts/table.tsx';
import { time } from '../../parts/time.tsx';
import { ImportForm } from './import-form.tsx';

const HINT =
  'A JSON list, or one record per line, each with orb_id and keys: a list of PEM texts (BEGIN PUBLIC KEY, curve secp256k1).';

/** The keys of orbs: a look-up by orb, with revocation, and the import. */
export function OrbKeys(): VNode {
  const { api, query, remember } = useView();
  const [orb, setOrb] = useState(query.get('orb_id') ?? '');
  const keys = useResource(
    async (over) => {
      if (orb === '') return undefined;
      const { items } = await api.call('GET /orb-keys', { orb_id: orb }, { signal: over });
      return { orb, items };
    },
    [orb],
  );
  const load = () => keys.load();
  const lookUp = form({
    action: 'Show its keys',
    isReading: true,
    fields: {
      orb_id: {
        label: 'Orb',
        kind: 'code',
        value: query.get('orb_id') ?? '',
        hint: 'orb_id, as in the enrolment records',
        attributes: { maxlength: 256 },
      },
    },
    async submit(values) {
      const wanted = values.text('orb_id');
      if (wanted === '') throw new FieldError('orb_id', 'Enter an orb_id.');
      remember({ orb_id: wanted });
      if (wanted === orb) await load();
      else setOrb(wanted);
    },
  });
  const found = loaded(keys, (of) => of && keyTable(of.orb, of.items, load));
  const texts = { one: 'key', hint: HINT, action: 'Import the keys' };
  const importing = <ImportForm place="POST /orb-keys" {...texts} onImported={load} />;
  return <>{[card('Keys of an orb', [lookUp, found]), card('Import keys of orbs', importing)]}</>;
}

function keyTable(orb: string, items: readonly OrbKey[], load: () => Promise<void>): ComponentChildren {
  if (items.length === 0) {
    const text = 'Packages that it signed are refused. Import its key below.';
    return empty([`No key of orb ${orb} is known.`, text]);
  }
  const revocation = ({ key_hash: hash }: OrbKey): VNode =>
    action({
      text: 'Revoke',
      mood: 'danger',
      label: `Revoke key ${hash}`,
      after: load,
      ask: [
        `Revoke this key of orb ${orb}?`,
        'Permanently: every package that it signed is refused from now on, also those of people who enrolled long ago.',
      ],
      run: ({ api }) =>
        api.call('PATCH /orb-keys/{orb_id}/{key_hash}', { orb_id: orb, key_hash: hash, status: 'revoked' }),
      done: () => `The key of orb ${orb} is revoked.`,
    });
  const columns: readonly Column<OrbKey>[] = [
    head('SHA-256 of the key', ({ key_hash }) => code(key_hash, true)),
    column('State', ({ status }) => stateBadge(status === 'active', status, status)),
    column('Added', ({ added_at }) => time(added_at)),
    column('Key', ({ pem }) => details('PEM', <pre class="pem">{pem}</pre>)),
    controls('Action', (key) => key.status !== 'revoked' && revocation(key)),
  ];
  return table({ caption: `Keys of orb ${orb}`, isCaptionShown: true, columns }, items);
}
