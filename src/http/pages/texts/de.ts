import type { Texts } from './texts.ts';

/** Texts of the pages in German. */
export const DE: Texts = {
  'site.development': 'Entwicklung',
  'site.runBy': 'Anmeldedienst von {operator}',
  'site.policy': 'Datenschutzerklärung',
  'site.terms': 'Nutzungsbedingungen',

  'signin.title': 'Bei {client} anmelden',
  'signin.returnsTo': 'Danach kehren Sie zu {host} zurück.',
  'signin.staging': 'Testumgebung',
  'signin.task': 'Zeigen Sie, dass Sie ein Mensch sind',
  'signin.walletNeeded':
    'Sie brauchen {wallet}. Diese App beweist, dass Sie ein Mensch sind, ohne zu verraten, wer Sie sind.',
  'signin.anyWalletNeeded':
    'Sie brauchen eine Wallet-App, die beweist, dass Sie ein Mensch sind, ohne zu verraten, wer Sie sind.',
  'signin.getWallet': '{wallet} herunterladen',
  'signin.getAnyWallet': 'Wallet-App herunterladen',
  'signin.openWallet': 'Wallet öffnen',
  'signin.scan':
    'Scannen Sie diesen Code mit Ihrer Wallet. Ist die Wallet auf diesem Gerät, öffnen Sie sie unten.',
  'signin.scanElsewhere': 'Mit einem anderen Gerät scannen',
  'signin.qrLabel': 'QR-Code, der diese Anmeldung in einer Wallet öffnet',
  'signin.timeLeft': 'Verbleibende Zeit: {time}',
  'signin.retry': 'Erneut versuchen',
  'signin.newCode': 'Neuen Code anzeigen',
  'signin.cancel': 'Abbrechen',
  'signin.continue': 'Weiter',
  'signin.back': 'Zurück zu {client}',
  'signin.opensApp':
    'Vielleicht fragt Ihr Browser, ob er die App öffnen darf. Diese Seite bleibt offen: Wenn die App nicht erscheint, drücken Sie die Schaltfläche noch einmal.',
  'signin.lastAttempt': 'Das war der letzte Versuch. Sie können in der App neu beginnen.',
  'signin.step': 'Schritt {step} von {steps}',
  'signin.stepSession':
    'Lassen Sie zu, dass dieser Dienst Sie wiedererkennt. Danach folgt eine zweite Bestätigung.',
  'signin.stepPair':
    'Fast fertig: Weisen Sie jetzt nach, dass Sie eine einzelne Person sind. Damit ist die Anmeldung beendet.',
  'signin.known': 'Dieser Browser war schon einmal hier: Zeigen Sie in Ihrer Wallet, dass Sie es sind.',
  'signin.link4':
    'Identität bestätigt. Zeigen Sie jetzt Ihre World ID 4.0, die zu diesem Konto hinzugefügt wird.',
  'signin.link3':
    'Identität bestätigt. Zeigen Sie jetzt Ihre World ID 3.0, die zu diesem Konto hinzugefügt wird.',
  'signin.linkSkip': 'Ohne sie fortfahren',
  'signin.wayOther': 'Jemand anderes oder eine andere World ID',
  'signin.way3': 'Meine Wallet hat nur World ID 3.0',
  'signin.way4': 'Meine Wallet hat World ID 4.0',
  'signin.knownByPasskey': 'Ihr Passkey ist hier bekannt: Zeigen Sie in Ihrer Wallet, dass Sie es sind.',
  'signin.forgetBrowser': 'Auf diesem Browser vergessen, wer hier war',
  'signin.forgetBrowserNote':
    'Das Merkmal dieser App wird aus diesem Browser gelöscht. Ihre Wallet kann sich bis zu einem Jahr lang weigern, dasselbe noch einmal nachzuweisen: Behalten Sie einen anderen Browser oder einen Passkey, der Sie findet.',

  'choices.stay': 'Auf diesem Browser bei {client} angemeldet bleiben',
  'choices.stayNote':
    'Für {time}, danach weisen Sie sich erneut aus. Nicht auf Geräten wählen, die auch andere benutzen.',
  'choices.undo': 'Nicht angemeldet bleiben',
  'choices.offline': '{client} verbunden lassen, auch wenn Sie nicht da sind',
  'choices.offlineNote': 'Bis zu {time}: Die App kann ihren Zugang erneuern, ohne Sie noch einmal zu fragen.',
  'choices.offlineUndo': 'Die App nicht verbunden lassen',
  'choices.known': 'Mir vor der Rückkehr zeigen, woran {client} mich wiedererkennt',
  'choices.knownNote': 'Dort können Sie einen Passkey speichern und Gespeichertes löschen.',
  'choices.knownUndo': 'Gleich zurückkehren',
  'choices.link': 'Meine World ID der anderen Version hinzufügen',
  'choices.linkNote':
    'Beide sind ab dann dasselbe Konto bei {client}. Nichts zeigt, dass beide Ihnen gehören: Wer die World ID einer anderen Person hinzufügt, lässt diese hinein.',
  'choices.linkUndo': 'Keine weitere World ID hinzufügen',
  'choices.failed': 'Ihre Wahl konnte nicht gespeichert werden. Bitte versuchen Sie es erneut.',

  'shared.title': 'Was {client} erhält',
  'shared.identifier': 'Eine Kennung nur für diese App',
  'shared.identifierNote': 'Andere Apps erhalten andere, sodass niemand sie miteinander verknüpfen kann.',
  'shared.level': 'Wie Sie verifiziert wurden',
  'shared.levelNote': 'Entweder an einem Orb oder auf einem Gerät.',
  'shared.orb': 'Dass Sie an einem Orb verifiziert wurden',
  'shared.orbNote': 'Diese App akzeptiert nichts anderes.',
  'shared.email': 'Eine Platzhalter-E-Mail-Adresse',
  'shared.emailNote': 'Sie wird aus der Kennung gebildet. Niemand liest, was dorthin geschickt wird.',
  'shared.name': 'Ein Platzhaltername',
  'shared.nameNote': 'Er ist bei allen, die sich anmelden, derselbe.',
  'shared.known': 'Ein Merkmal in diesem Browser',
  'shared.knownNote':
    'Damit Sie wiederkommen können, behält dieser Browser ein Merkmal für diese App. Es nennt niemanden.',
  'shared.nothingElse':
    'Die App erfährt weder Ihren Namen noch Ihre Adresse noch, was Sie in anderen Apps tun.',

  'passkey.use': 'Ich habe einen Passkey',
  'passkey.useNote':
    'Für alle, die einen Passkey für {client} gespeichert haben. Ihre Wallet weist danach nach, dass Sie es sind.',
  'passkey.refused':
    'Dieser Passkey wurde nicht angenommen. Nehmen Sie einen anderen, oder melden Sie sich ohne ihn an.',
  'passkey.stopped': 'Es wurde kein Passkey benutzt. Sie können es erneut versuchen.',
  'passkey.unanswered':
    'Vom Anmeldedienst kam keine Antwort. Laden Sie diese Seite neu, um zu sehen, ob es geklappt hat.',
  'passkey.save': 'Einen Passkey speichern',
  'passkey.saveNote':
    'Ein Passkey folgt Ihnen auf Ihre anderen Geräte, wo {client} Sie dann findet. Ohne Ihre Wallet meldet er Sie nicht an.',
  'passkey.notSaved': 'Es wurde kein Passkey gespeichert. Sie können es erneut versuchen.',
  'known.title': 'Woran {client} Sie wiedererkennt',
  'known.text':
    'Wenn Sie zu {client} zurückkommen, findet Sie eines davon, und Ihre Wallet weist dann nach, dass Sie es sind. Keines davon meldet für sich allein jemanden an, und keines enthält Ihren Namen.',
  'known.kept': 'Jedes davon wird {time} nach der letzten Benutzung gelöscht.',
  'known.sessions': 'Sitzungen Ihrer World ID',
  'known.bound': 'Sitzung, durch einen Nachweis an Sie gebunden',
  'known.paired': 'Sitzung, in zwei Schritten an Sie gebunden',
  'known.sessionAlone': 'Sitzung allein, die nicht zeigt, dass Sie nur eine Person sind',
  'known.browsers': 'Browser',
  'known.thisBrowser': 'Dieser Browser',
  'known.otherBrowser': 'Ein anderer Browser',
  'known.passkeys': 'Passkeys',
  'known.passkey': 'Passkey',
  'known.dates': 'Seit {created}, zuletzt benutzt am {used}',
  'known.none': 'Es gibt keine.',
  'known.forget': 'Löschen',
  'known.forgetSessionNote': 'Browser und Passkeys, die zu dieser Sitzung führen, werden mit ihr gelöscht.',
  'known.forgetPointerNote': 'In diesem Browser werden Sie dann nicht mehr erkannt.',
  'known.forgetPasskeyNote':
    'Er findet Sie hier dann nicht mehr. Löschen Sie ihn auch in Ihrem Passwortmanager.',
  'known.forgetAll': 'Alles vergessen',
  'known.forgetAllNote':
    '{client} erkennt Sie dann nicht mehr. Ihre Wallet kann sich bis zu einem Jahr lang weigern, dasselbe noch einmal nachzuweisen, sodass Sie sich in dieser Zeit nicht anmelden könnten. Diese Anmeldung gilt noch.',
  'known.end': 'Fertig?',

  'state.waiting': 'Warten auf Ihre Wallet.',
  'state.connected': 'Bestätigen Sie in Ihrer Wallet.',
  'state.verifying': 'Der Nachweis wird geprüft …',
  'state.completed': 'Identität bestätigt. Sie werden zu {client} zurückgeleitet …',
  'state.completed.stays': 'Identität bestätigt. Mit der Schaltfläche kehren Sie zu {client} zurück.',
  'state.expired': 'Die Zeit für die Antwort ist abgelaufen.',
  'state.failed': 'Die Anmeldung hat nicht geklappt.',
  'state.failed.invalid_proof':
    'Der Nachweis ist für diese Anmeldung nicht gültig. Bitte versuchen Sie es erneut.',
  'state.failed.invalid_format': 'Die Antwort Ihrer Wallet war nicht lesbar. Bitte versuchen Sie es erneut.',
  'state.failed.invalid_merkle_root':
    'Ihre Wallet hat den Nachweis mit einer Personenliste erstellt, die dieser Dienst nicht kennt.',
  'state.failed.root_too_old':
    'Ihre Wallet hat den Nachweis mit einer veralteten Personenliste erstellt. Bitte versuchen Sie es erneut.',
  'state.failed.server_error': 'Bei uns ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut.',
  'state.failed.malformed_request':
    'Ihre Wallet kann diese Anfrage nicht lesen. Aktualisieren Sie die Wallet und versuchen Sie es erneut.',
  'state.failed.generic_error':
    'Ihre Wallet konnte nicht antworten. Wenn vorher jemand anderes an diesem Browser war, wählen Sie das unten; sonst versuchen Sie es erneut.',
  'state.refused': 'Ihre Wallet hat einen Fehler gemeldet.',
  'state.refused.access_denied': 'Diese Anmeldung wurde abgebrochen.',
  'state.refused.verification_rejected': 'Sie haben in Ihrer Wallet abgelehnt.',
  'state.refused.credential_unavailable': 'Ihre Wallet enthält keinen passenden Nachweis.',
  'state.refused.login_required':
    'Die App erwartet jemand anderen: Sie sind nicht die Person, die dort angemeldet ist.',
  'state.refused.unmet_authentication_requirements':
    'Diese App verlangt eine Verifizierung an einem Orb, und Ihre Wallet hat eine andere vorgelegt.',
  'state.refused.inclusion_proof_pending':
    'Ihre Identität steht noch nicht auf der Liste der verifizierten Personen. Versuchen Sie es später erneut.',
  'state.refused.inclusion_proof_failed':
    'Ihre Wallet konnte nicht zeigen, dass Sie auf der Liste der verifizierten Personen stehen.',
  'state.refused.invalid_network': 'Ihre Wallet ist mit einem anderen Netzwerk verbunden.',
  'state.refused.max_verifications_reached':
    'Ihre Wallet hat die Höchstzahl der Verifizierungen für diese App erreicht.',
  'state.refused.credential_not_allowed': 'Diese App akzeptiert diese Art von Nachweis nicht.',
  'state.refused.environment_not_allowed': 'Diese App akzeptiert keine Nachweise aus dieser Umgebung.',
  'state.refused.protocol_version_not_allowed':
    'Diese App akzeptiert keine Nachweise dieser Version von World ID.',
  'state.refused.user_rejected': 'Sie haben in Ihrer Wallet abgelehnt.',
  'state.refused.timeout': 'Sie haben in Ihrer Wallet nicht rechtzeitig geantwortet.',
  'state.refused.user_presence_failed':
    'Ihre Wallet konnte nicht bestätigen, dass Sie selbst sie benutzen. Melden Sie sich erneut an und lassen Sie die Prüfung zu.',
  'state.refused.feature_unavailable':
    'Ihrer Wallet fehlt eine Funktion, die diese Anmeldung braucht. Aktualisieren Sie Ihre Wallet und melden Sie sich erneut an.',
  'state.refused.world_id_3_not_available':
    'Ihre Wallet enthält keine World ID 3.0, die diese App verlangt. Melden Sie sich mit einer Wallet an, die eine enthält.',
  'state.refused.world_id_4_not_available':
    'Ihre Wallet enthält keine World ID 4.0. Aktualisieren Sie Ihre Wallet und melden Sie sich erneut an.',
  'state.refused.nullifier_replayed':
    'Ihre Wallet hat das schon einmal nachgewiesen und tut es nicht erneut. Was hilft: der Browser, in dem Sie sich früher angemeldet haben, ein gespeicherter Passkey oder ein anderes Gerät mit Ihrer World ID. Innerhalb von zehn Minuten nach dem ersten Mal weist Ihre Wallet es noch einmal nach.',
  'state.refused.identity_attributes_not_matched':
    'Was die App verlangt, stimmt nicht mit der Identität in Ihrer Wallet überein.',
  'signin.unreachable': 'Im Moment kommt keine Antwort vom Anmeldedienst. Diese Seite versucht es weiter.',
  'signin.busy': 'Der Anmeldedienst ist ausgelastet. Diese Seite macht gleich von selbst weiter.',

  'simulator.title': 'Link für einen Wallet-Simulator',
  'simulator.address': 'Adresse zum Einfügen in den Simulator',
  'simulator.copy': 'Adresse kopieren',
  'simulator.copied': 'Kopiert.',
  'simulator.copyByHand':
    'Der Browser erlaubt hier kein Kopieren. Die Adresse ist markiert: Kopieren Sie sie selbst.',

  'error.title': 'Mit dieser Anfrage stimmt etwas nicht',
  'error.ourTitle': 'Bei uns ist ein Fehler aufgetreten',
  'error.advice':
    'Kehren Sie zu der App zurück, die Sie hierher geschickt hat, und versuchen Sie es erneut. Tritt der Fehler wieder auf, nennen Sie den Herstellern der App die Angaben unten.',
  'error.ourAdvice': 'Versuchen Sie es gleich noch einmal.',
  'error.invalid_request': 'Die App hat eine Anfrage gesendet, mit der dieser Dienst nichts anfangen kann.',
  'error.required': 'Die App hat etwas weggelassen, was dieser Dienst braucht.',
  'error.invalid_redirect_uri': 'Die App will Sie an eine Adresse leiten, die nicht für sie registriert ist.',
  'error.invalid_request_uri':
    'Dieser Link der App gilt nicht oder nicht mehr: Solche Links gelten kurz und für eine Anmeldung. Beginnen Sie in der App von vorn.',
  'error.request_uri_used':
    'Dieser Link der App wurde benutzt: Eine Anmeldung mit ihm ist beendet. Wenn die App Sie nicht erkennt, beginnen Sie dort neu.',
  'error.request_uri_expired': 'Dieser Link der App ist abgelaufen. Beginnen Sie in der App von vorn.',
  'error.app_not_found': 'Dieser Dienst kennt die App nicht.',
  'error.sign_in_not_enabled': 'Die Anmeldung ist für diese App abgeschaltet.',
  'error.request_too_large': 'Die Anfrage der App ist zu groß.',
  'error.not_found': 'Diese Seite gibt es nicht.',
  'error.server_error': 'Der Dienst kann im Moment nicht antworten.',
  'error.message': 'Meldung',
  'error.code': 'Code',
  'error.attribute': 'Attribut',
  'error.request': 'Anfrage',
  'error.details': 'Technische Angaben',

  'lost.title': 'Diese Anmeldung kann hier nicht fortgesetzt werden',
  'lost.otherOrigin':
    'Diese Seite wurde unter {actual} geöffnet, die Anmeldung funktioniert aber nur unter {expected}.',
  'lost.noSession': 'Ihr Browser gehört nicht zu dieser Anmeldung, oder sie ist vorbei.',
  'lost.advice':
    'Kehren Sie zur App zurück und beginnen Sie neu, mit erlaubten Cookies und in ein und demselben Browser.',
  'lost.causes': 'Wahrscheinliche Ursachen',
  'lost.tooLong': 'Die Anmeldung hat länger als {minutes} gedauert.',
  'lost.cookiesBlocked': 'Cookies sind für {host} blockiert.',
  'lost.otherBrowser':
    'Der Link wurde in einem anderen Browser, auf einem anderen Gerät oder in einem privaten Fenster geöffnet.',
  'lost.secureRefused':
    'Dieser Browser lehnt sichere Cookies von {expected} ab, weil das nicht https ist. Safari lehnt sie von jeder http-Adresse ab, Firefox von allen außer localhost; Chrome nimmt sie an.',
  'lost.tooMany': 'In diesem Browser waren mehr als {count} Anmeldungen offen.',
  'lost.http': 'Die Seite wurde mit http statt https geöffnet.',
  'lost.cookie': 'Fehlendes Cookie',
  'lost.expected': 'Erwarteter Ursprung',
  'lost.actual': 'Tatsächlicher Ursprung',
  'finished.title': 'Diese Anmeldung ist bereits abgeschlossen',
  'finished.text': 'Die App hat ihre Antwort erhalten. Sie können diese Seite schließen.',
  'finished.advice': 'Wenn die App Sie nicht erkennt, beginnen Sie dort neu.',

  'logout.ask': 'Abmelden?',
  'logout.askText': 'Dieser Browser ist angemeldet bei:',
  'logout.button': 'Abmelden',
  'logout.stay': 'Um angemeldet zu bleiben, schließen Sie diese Seite.',
  'logout.done': 'Sie sind abgemeldet',
  'logout.doneFrom': 'Sie sind bei {client} abgemeldet',
  'logout.doneText': 'Sie können diese Seite schließen. Die nächste Anmeldung verlangt einen neuen Nachweis.',
  'logout.none': 'Sie sind nicht angemeldet',
  'logout.noneFrom': 'Sie sind bei {client} nicht angemeldet',
  'logout.noneText':
    'In diesem Browser gibt es keine Sitzung, die beendet werden könnte. Sie können diese Seite schließen.',

  'wait.title': 'Bitte warten Sie einen Moment',
  'wait.text': 'Aus Ihrem Netzwerk kamen zu viele Anfragen.',
  'wait.again': 'In {wait} können Sie es erneut versuchen.',
  'wait.now': 'Sie können es jetzt erneut versuchen.',
  'wait.goesOn': 'Danach geht es auf dieser Seite von selbst weiter.',
  'wait.retry': 'Erneut versuchen',

  'notFound.title': 'Seite nicht gefunden',
  'notFound.text': 'Unter dieser Adresse gibt es nichts.',
  'notFound.advice':
    'Wenn eine App Sie hierher geschickt hat, kehren Sie zu ihr zurück und beginnen Sie dort neu.',
  'notFound.home': 'Über diesen Dienst',

  'landing.text':
    'Hier beweisen Menschen, dass sie Menschen sind, ohne zu verraten, wer sie sind. Apps nutzen diesen Dienst für die Anmeldung.',
  'landing.advice':
    'Auf dieser Seite gibt es nichts zu tun. Um sich anzumelden, beginnen Sie in der App, die Sie nutzen möchten.',
  'landing.links': 'Links',
  'landing.demo': 'Demo ausprobieren',
  'landing.wallet': 'Demo-Wallet öffnen',
  'landing.docs': 'API-Referenz für Entwickler',
  'landing.discovery': 'Konfiguration für Entwickler',

  'formPost.title': 'Zurück zur App',
  'formPost.text': 'Drücken Sie die Schaltfläche, wenn Sie nicht von selbst zur App zurückkehren.',
  'formPost.button': 'Weiter',
};
