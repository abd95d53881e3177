/**
 * Texts of the pages in English, from which the others are translated. A name in braces is a placeholder; the
 * other languages have the same keys with the same placeholders.
 */
export const EN = {
  'site.development': 'development',
  'site.runBy': 'Sign-in service of {operator}',
  'site.policy': 'Privacy policy',
  'site.terms': 'Terms of use',

  'signin.title': 'Sign in to {client}',
  'signin.returnsTo': 'Afterwards you return to {host}.',
  'signin.staging': 'staging',
  'signin.task': 'Show that you are a person',
  'signin.walletNeeded': 'You need {wallet}, an app that proves you are a person without saying who you are.',
  'signin.anyWalletNeeded': 'You need a wallet app that proves you are a person without saying who you are.',
  'signin.getWallet': 'Get {wallet}',
  'signin.getAnyWallet': 'Get a wallet app',
  'signin.openWallet': 'Open your wallet',
  'signin.scan': 'Scan this code with your wallet. If the wallet is on this device, open it below.',
  'signin.scanElsewhere': 'Scan with another device',
  'signin.qrLabel': 'QR code that opens this sign-in in a wallet',
  'signin.timeLeft': 'Time left: {time}',
  'signin.retry': 'Try again',
  'signin.newCode': 'Show a new code',
  'signin.cancel': 'Cancel',
  'signin.continue': 'Continue',
  'signin.back': 'Back to {client}',
  'signin.lastAttempt': 'That was the last attempt. You can start again from the app.',

  'choices.stay': 'Stay signed in to {client} on this browser',
  'choices.stayNote': 'For {time}, then you prove again. Leave this off on a device that other people use.',
  'choices.undo': 'Do not stay signed in',
  'choices.offline': 'Let {client} stay connected while you are away',
  'choices.offlineNote': 'For up to {time}: the app can renew its access without asking you again.',
  'choices.offlineUndo': 'Do not let the app stay connected',
  'choices.failed': 'Your choice could not be saved. Please try again.',

  'shared.title': 'What {client} gets',
  'shared.identifier': 'An identifier for this app only',
  'shared.identifierNote': 'Other apps get other ones, so that nobody can connect them.',
  'shared.level': 'How you were verified',
  'shared.levelNote': 'Either at an Orb or on a device.',
  'shared.orb': 'That you were verified at an Orb',
  'shared.orbNote': 'This app accepts nothing less.',
  'shared.email': 'A stand-in e-mail address',
  'shared.emailNote': 'It is made from the identifier. Nobody reads what is sent to it.',
  'shared.name': 'A stand-in name',
  'shared.nameNote': 'Everybody who signs in has the same one.',
  'shared.nothingElse': 'It does not learn your name, your address or what you do in other apps.',

  'state.waiting': 'Waiting for your wallet.',
  'state.connected': 'Confirm in your wallet.',
  'state.verifying': 'Checking the proof…',
  'state.completed': 'Identity confirmed. Taking you back to {client}…',
  'state.expired': 'The time to answer is over.',
  'state.failed': 'The sign-in did not work.',
  'state.failed.invalid_proof': 'The proof is not valid for this sign-in. Please try again.',
  'state.failed.invalid_format': 'The answer of your wallet could not be read. Please try again.',
  'state.failed.invalid_merkle_root':
    'Your wallet made the proof with a list of people that this service does not know.',
  'state.failed.root_too_old':
    'Your wallet made the proof with an outdated list of people. Please try again.',
  'state.failed.server_error': 'Something went wrong on our side. Please try again.',
  'state.refused': 'Your wallet reported an error.',
  'state.refused.access_denied': 'This sign-in was cancelled.',
  'state.refused.verification_rejected': 'You declined in your wallet.',
  'state.refused.credential_unavailable': 'Your wallet has no credential that fits.',
  'state.refused.login_required':
    'The app expects somebody else: you are not the person who is signed in there.',
  'state.refused.unmet_authentication_requirements':
    'This app asks for a verification at an Orb, and your wallet showed another one.',
  'state.refused.inclusion_proof_pending':
    'Your identity is not on the list of verified people yet. Try again later.',
  'state.refused.inclusion_proof_failed':
    'Your wallet could not show that you are on the list of verified people.',
  'state.refused.invalid_network': 'Your wallet is on another network.',
  'state.refused.max_verifications_reached':
    'Your wallet has reached its limit of verifications for this app.',
  'state.refused.credential_not_allowed': 'This app does not accept this kind of credential.',
  'state.refused.environment_not_allowed': 'This app does not accept proofs of this environment.',
  'state.refused.protocol_version_not_allowed':
    'This app does not accept proofs of this version of World ID.',
  'state.refused.user_rejected': 'You declined in your wallet.',
  'state.refused.timeout': 'You did not answer in your wallet in time.',
  'state.refused.user_presence_failed':
    'Your wallet could not confirm that it is you who holds it. Sign in again and let it check.',
  'state.refused.feature_unavailable':
    'Your wallet lacks a feature that this sign-in needs. Update your wallet and sign in again.',
  'state.refused.world_id_3_not_available':
    'Your wallet has no World ID 3.0, which this app asks for. Sign in with a wallet that has one.',
  'state.refused.world_id_4_not_available':
    'Your wallet has no World ID 4.0. Update your wallet and sign in again.',
  'state.refused.nullifier_replayed':
    'Your wallet has confirmed this before and does not do it a second time. Use another device with your World ID, or ask the app for another way to sign in.',
  'state.refused.identity_attributes_not_matched':
    'What the app asks for does not match the identity in your wallet.',
  'signin.unreachable': 'The sign-in service does not answer. The page keeps trying.',
  'signin.busy': 'The sign-in service is busy. This page goes on by itself in a moment.',

  'simulator.title': 'Link for a wallet simulator',
  'simulator.address': 'Address to paste into the simulator',
  'simulator.copy': 'Copy the address',
  'simulator.copied': 'Copied.',
  'simulator.copyByHand':
    'The browser does not allow copying here. The address is selected: copy it yourself.',

  'error.title': 'Something is wrong with this request',
  'error.ourTitle': 'Something went wrong on our side',
  'error.advice':
    'Go back to the app that sent you here and try again. If it happens again, tell its makers what is below.',
  'error.ourAdvice': 'Try again in a moment.',
  'error.invalid_request': 'The app sent a request that this service cannot use.',
  'error.required': 'The app left out something that this service needs.',
  'error.invalid_redirect_uri': 'The app wants you sent to an address that is not registered for it.',
  'error.invalid_request_uri':
    'This link of the app works once and for a short time, and that is over. Start again at the app.',
  'error.app_not_found': 'This service does not know the app.',
  'error.sign_in_not_enabled': 'Sign-in is switched off for this app.',
  'error.request_too_large': 'The request of the app is too large.',
  'error.not_found': 'There is no such page.',
  'error.server_error': 'The service cannot answer at the moment.',
  'error.message': 'Message',
  'error.code': 'Code',
  'error.attribute': 'Attribute',
  'error.request': 'Request',
  'error.details': 'Technical details',

  'lost.title': 'This sign-in cannot go on here',
  'lost.otherOrigin': 'This page was opened at {actual}, but sign-in works at {expected} only.',
  'lost.noSession': 'Your browser is not part of this sign-in, or the sign-in is over.',
  'lost.advice': 'Go back to the app and start again, with cookies allowed and in one browser.',
  'lost.causes': 'Likely causes',
  'lost.tooLong': 'The sign-in took longer than {minutes}.',
  'lost.cookiesBlocked': 'Cookies are blocked for {host}.',
  'lost.otherBrowser': 'The link was opened in another browser, or in a private window.',
  'lost.secureRefused':
    'This browser refuses secure cookies from {expected}, because that is not https. Safari refuses them from every http address, Firefox from all but localhost; Chrome accepts them.',
  'lost.tooMany': 'More than {count} sign-ins were open in this browser.',
  'lost.http': 'The page was opened with http instead of https.',
  'lost.cookie': 'Missing cookie',
  'lost.expected': 'Expected origin',
  'lost.actual': 'Actual origin',
  'finished.title': 'This sign-in is already finished',
  'finished.text': 'The app has got its answer. You can close this page.',
  'finished.advice': 'If the app does not know you, start again there.',

  'logout.ask': 'Sign out?',
  'logout.askText': 'This browser is signed in to:',
  'logout.button': 'Sign out',
  'logout.stay': 'To stay signed in, close this page.',
  'logout.done': 'You are signed out',
  'logout.doneFrom': 'You are signed out of {client}',
  'logout.doneText': 'You can close this page. The next sign-in asks for a new proof.',
  'logout.none': 'You are not signed in',
  'logout.noneFrom': 'You are not signed in to {client}',
  'logout.noneText': 'There is no session to end on this browser. You can close this page.',

  'wait.title': 'Please wait a moment',
  'wait.text': 'Too many requests came from your network.',
  'wait.again': 'You can try again in {wait}.',
  'wait.now': 'You can try again now.',
  'wait.goesOn': 'This page then goes on by itself.',
  'wait.retry': 'Try again',

  'notFound.title': 'Page not found',
  'notFound.text': 'There is nothing at this address.',
  'notFound.advice': 'If an app sent you here, go back to it and start again there.',
  'notFound.home': 'About this service',

  'landing.text':
    'Here people prove that they are human without saying who they are. Apps use this service to sign people in.',
  'landing.advice': 'There is nothing to do on this page. To sign in, start at the app that you want to use.',
  'landing.links': 'Links',
  'landing.demo': 'Try the demo',
  'landing.wallet': 'Open the demo wallet',
  'landing.docs': 'API reference for developers',
  'landing.discovery': 'Configuration for developers',

  'formPost.title': 'Back to the app',
  'formPost.text': 'Your browser does not run scripts here. Press the button to go back to the app.',
  'formPost.button': 'Continue',
} as const;
