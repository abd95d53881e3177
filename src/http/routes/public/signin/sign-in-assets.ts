import { type Assets, createAssets, readClientFile } from '../../../pages/index.ts';

/** What the pages of sign-in load under names that change with the content. */
export type SignInAsset = 'sign-in-page.js' | 'sign-in.css';

/**
 * Reads the files of the sign-in page, each once. They lie below `/signin`: what is below `/authorize` is never cached.
 *
 * @throws ServiceError `page.not_built`
 */
export async function loadSignInAssets(basePath: string): Promise<Assets<SignInAsset>> {
  return createAssets<SignInAsset>(`${basePath}/signin`, [
    {
      name: 'sign-in-page.js',
      contentType: 'text/javascript; charset=utf-8',
      body: await readClientFile('sign-in-page.js'),
    },
    {
      name: 'sign-in.css',
      contentType: 'text/css; charset=utf-8',
      body: await readClientFile('sign-in.css'),
    },
  ]);
}
