/**
 * Sessions of people with an app on one browser (spec/sign-in.md#sessions): nothing is kept unless
 * `signin.sessionSeconds` is set and the person agrees on the sign-in page.
 */
export {
  type AnswerFromSession,
  createSessionAnswers,
  type SessionAnswersParts,
} from './answer-from-session.ts';
export { type BegunSession, createSessions, type Sessions, type SessionsParts } from './sessions.ts';
