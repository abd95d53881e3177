/** What a sign-in page and the steps behind it refuse (signin.md 5.4 and section 7). */
export const TRANSACTION_ERRORS = {
  'transaction.not_found': {
    title: 'No such sign-in for this browser',
    cause:
      'The sign-in is unknown or over, or its cookie did not come: cookies are blocked, the link was opened in another browser, or the page has another host than baseUrl.',
    cure: 'Start again at the app that sent you; open the page at the host of baseUrl with cookies allowed.',
    retry: 'never',
    signin: { status: 403, error: 'access_denied', code: 'session_not_found' },
  },
} as const;
