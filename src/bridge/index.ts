/**
 * Wallet bridge (spec/sign-in.md#wallet-bridge): a relay of ciphertext between a page and a wallet, which
 * never sees a key. Defines the form of ids and messages, and each call in terms of the store; HTTP is in
 * `src/http/routes/public/bridge.ts`.
 */
export { type Bridge, type BridgeId, type BridgeOptions, createBridge } from './bridge.ts';
