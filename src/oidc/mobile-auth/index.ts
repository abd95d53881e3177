/**
 * Sign-in without a page, for native wallets that answer an `/authorize` link themselves
 * (spec/sign-in.md#mobile-sign-in): the request is checked as in `authorize`, the proof as in `transaction`.
 */
export { createWalletSignIn, type WalletSignIn, type WalletSignInParts } from './sign-in-by-wallet.ts';
