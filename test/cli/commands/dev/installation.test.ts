// Rules: spec/worldid4.md#wallets-of-development
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Installation, openInstallation } from '../../../../src/cli/commands/dev/installation.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const LATER = NOW + 600_001;
const A_YEAR_LATER = NOW + 365 * 86_400_000;
const [ONE, TWO] = [`nil_${'0a'.repeat(32)}`, `nil_${'0b'.repeat(32)}`] as const;
const REFUSED = { name: 'WalletRefusal', errorCode: 'nullifier_replayed' };

describe('an installation of the development wallet', () => {
  const folder = (): string => temporaryFolder('installation', onTestFinished);

  it('makes a nullifier again for ten minutes from the first time, then refuses it for a year', async () => {
    const dataDir = folder();
    const admit = (now: number, nullifier = ONE): Promise<void> =>
      openInstallation(dataDir, 'phone').admit(nullifier, now);
    for (const now of [NOW, NOW + 300_000, NOW + 600_000]) await admit(now);
    await expect(admit(LATER)).rejects.toMatchObject(REFUSED);
    await expect(admit(A_YEAR_LATER - 1)).rejects.toMatchObject(REFUSED);
    await admit(LATER, TWO);
    await admit(A_YEAR_LATER);
    await expect(admit(A_YEAR_LATER + 600_001)).rejects.toMatchObject(REFUSED);
  });

  it('knows nothing of another installation, or from before it was installed anew', async () => {
    const dataDir = folder();
    const [phone, tablet] = [openInstallation(dataDir, 'phone'), openInstallation(dataDir, 'tablet')];
    await phone.admit(ONE, NOW);
    await tablet.admit(ONE, LATER);
    await expect(phone.admit(ONE, LATER)).rejects.toMatchObject(REFUSED);
    await phone.forget();
    await phone.admit(ONE, LATER);
    await expect(tablet.admit(ONE, LATER + 600_001)).rejects.toMatchObject(REFUSED);
    await openInstallation(folder(), 'new').forget();
  });

  it('loses no record to commands at the same time, or to a line that a crash cut off', async () => {
    const dataDir = folder();
    const open = (): Installation => openInstallation(dataDir, 'phone');
    await open().admit(ONE, NOW);
    const path = join(dataDir, 'wallet-installations', 'phone.nullifiers');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    appendFileSync(path, `\n${TWO.slice(0, 20)}`);
    const others = Array.from({ length: 8 }, (_, digit) => `nil_${`${digit}${digit}`.repeat(32)}`);
    await Promise.all(others.map((nullifier) => open().admit(nullifier, NOW)));
    for (const nullifier of [ONE, ...others])
      await expect(open().admit(nullifier, LATER), nullifier).rejects.toMatchObject(REFUSED);
    await open().admit(TWO, LATER);
  });

  it.each(['', '..', 'a/b', '-x', 'x'.repeat(65)])('cannot have the name "%s"', (name) => {
    expect(() => openInstallation('/nowhere', name)).toThrow(expect.objectContaining({ code: 'cli.usage' }));
  });
});
