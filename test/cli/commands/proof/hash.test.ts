import { describe, expect, it } from 'vitest';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder({ isShared: true });

// spec/verification.md#hash-vectors
describe('proofgate hash', () => {
  it.each([
    ['', '0x00c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a4'],
    ['test_signal', '0x00c1636e0a961a3045054c4d61374422c31a95846b8442f0927ad2ff1d6112ed'],
    ['0x68656c6c6f', '0x001c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36dea'],
    ['hello', '0x001c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36dea'],
  ])('hashes the signal %j', async (signal, expected) => {
    expect(await folder.run(`hash signal ${signal}`)).toEqual({
      code: 0,
      stdout: `${expected}\n`,
      stderr: '',
    });
    expect(await folder.json(['hash', 'signal', signal])).toEqual({ signal_hash: expected });
  });

  it.each([
    [
      'app_369183bd38f1641b6964ab51d7a20434',
      '',
      '0x0073e4a6b670e81dc619b1f8703aa7491dc5aaadf75409aba0ac2414014c0227',
    ],
    [
      'app_369183bd38f1641b6964ab51d7a20434',
      'test-action',
      '0x00dd12b56cebf29593d6d3208a061bbb19e60152c56045f277a15989d25d5215',
    ],
    [
      'app_staging_45068dca85829d2fd90e2dd6f0bff997',
      'test-action-qli8g',
      '0x00d8b157e767dc59faa533120ed0ce34fc51a71937292ea8baed6ee6f4fda866',
    ],
  ])('hashes the action of %s, %j', async (app, action, expected) => {
    expect((await folder.run(['hash', 'action', app, action])).stdout).toBe(`${expected}\n`);
    expect((await folder.json(['hash', 'action', app, action])).external_nullifier).toBe(expected);
  });

  it('prints the rp_id with the hash', async () => {
    const found = await folder.json('hash action app_369183bd38f1641b6964ab51d7a20434 x');
    expect(found.rp_id).toBe('rp_47ac69c81397b357');
  });
});
