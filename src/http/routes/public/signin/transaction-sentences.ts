/**
 * What the sign-in page says to the person: one sentence by state, and by `<state>.<code>` where the code has one of
 * its own. What failed is told in the service's text about the code. The relying party gets the texts of signin.md 7.5
 * instead of those of `refused`: they speak about the person, not to them.
 */
export function transactionSentences(clientName: string): Readonly<Record<string, string>> {
  const goingBack = `Taking you back to ${clientName}…`;
  return {
    waiting: 'Waiting for your wallet.',
    connected: 'Confirm in your wallet.',
    verifying: 'Checking the proof…',
    completed: `Identity confirmed. ${goingBack}`,
    expired: 'The time to answer is over.',
    failed: 'The sign-in did not work.',
    refused: `Your wallet reported an error. ${goingBack}`,
    'refused.verification_rejected': `You declined in your wallet. ${goingBack}`,
    'refused.credential_unavailable': `Your wallet has no credential that fits. ${goingBack}`,
    'refused.unmet_authentication_requirements': `This app asks for a verification at an orb, and your wallet showed another. ${goingBack}`,
    'refused.inclusion_proof_pending': `Your identity is not in the group yet. ${goingBack}`,
    'refused.inclusion_proof_failed': `Your wallet could not show that you belong to the group. ${goingBack}`,
    'refused.invalid_network': `Your wallet is on another network. ${goingBack}`,
    'refused.max_verifications_reached': `Your wallet counts too many verifications for this app. ${goingBack}`,
  };
}

/** Said while the service does not answer the page. */
export const UNREACHABLE_SENTENCE = 'The sign-in service does not answer. The page keeps trying.';

/** The sentence of a state: that of its code, else the service's own text about the code, else that of the state. */
export function sentenceOf(
  sentences: Readonly<Record<string, string>>,
  {
    state,
    code,
    detail,
  }: { readonly state: string; readonly code: string | null; readonly detail: string | null },
): string {
  return sentences[`${state}.${code}`] ?? detail ?? sentences[state] ?? '';
}
