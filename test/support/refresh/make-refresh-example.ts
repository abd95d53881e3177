/**
 * Generates the files of the refresh demo: `circuits/dev-depth30/refresh-example.json` with the proof of
 * test/vectors/verify/refresh-header.json, and the package of the demo orb as files for curl:
 * `node --import tsx test/support/refresh/make-refresh-example.ts`. The output is deterministic.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DEMO_ORB_ID } from '../../../src/development/demo-holder.ts';
import { makePackage, orbKeyPair } from './custody-package.ts';

const SIGNUP_ID = 'demo-signup';
const folder = new URL('../../../circuits/dev-depth30/', import.meta.url);
const vector = JSON.parse(
  readFileSync(new URL('../../vectors/verify/refresh-header.json', import.meta.url), 'utf8'),
) as { secret: string; sub: string; id_comm: string; header: string };

const orbKey = orbKeyPair('proofgate demo orb');
const example = {
  note: 'The secret of the holder and the private key of the orb are public: SHA-256("proofgate demo orb").',
  secret: vector.secret,
  id_comm: vector.id_comm,
  sub: vector.sub,
  external_nullifier: 'proofgate-refresh',
  x_zkp_proof: vector.header,
  signup_id: SIGNUP_ID,
  orb_id: DEMO_ORB_ID,
  orb_public_key: orbKey.pem,
};
writeFileSync(new URL('refresh-example.json', folder), `${JSON.stringify(example, null, 1)}\n`);

const demoPackage = makePackage({
  seed: 'demo',
  orbKey,
  values: { signup_id: SIGNUP_ID, orb_id: DEMO_ORB_ID, operator_id: 'demo-operator' },
});
const target = new URL('demo-package/', folder);
mkdirSync(target, { recursive: true });
const lines = Object.entries(demoPackage.fields).map(([name, value]) =>
  name === 'hashes.json' || name === 'hashes.sign'
    ? `form = "${name}=@circuits/dev-depth30/demo-package/${name}"`
    : `form-string = ${JSON.stringify(`${name}=${Buffer.from(value).toString('utf8')}`)}`,
);
writeFileSync(new URL('form.curl', target), `${lines.join('\n')}\n`);
writeFileSync(new URL('hashes.json', target), demoPackage.manifest);
writeFileSync(new URL('hashes.sign', target), demoPackage.signature);
