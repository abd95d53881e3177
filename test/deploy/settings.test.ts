import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageEnvironment, SECRET_VARIABLES, VARIABLES } from './support/configuration.ts';
import { DEPLOY, deployFiles } from './support/manifests.ts';

/** Named where the manifests say that Kubernetes would set it and that it is no setting. */
const FOREIGN = 'PROOFGATE_PORT';

const files = deployFiles().map((path) => [path, readFileSync(join(DEPLOY, path), 'utf8')] as const);

describe('the files of .deploy', () => {
  it.each(files)('%s names settings that exist', (_path, text) => {
    const named = text.match(/\bPROOFGATE_[A-Z0-9_]+/g) ?? [];
    expect(named.filter((name) => name !== FOREIGN && !VARIABLES.has(name))).toEqual([]);
  });

  it.each(files)('%s holds no secret', (_path, text) => {
    const given = SECRET_VARIABLES.filter((name) => new RegExp(`\\b${name}\\s*[:=]\\s*["']?\\w`).test(text));
    expect(given).toEqual([]);
    expect(text).not.toMatch(/postgres(?:ql)?:\/\/[^\s/@]*:[^\s/@]*@/);
    expect(text).not.toMatch(/-----BEGIN|\bsk_[0-9a-f]{48}\b/);
  });
});

it('the image is of profile production unless it is built for development', () => {
  expect(imageEnvironment('production').PROOFGATE_PROFILE).toBe('production');
  expect(imageEnvironment('development').PROOFGATE_PROFILE).toBeUndefined();
});
