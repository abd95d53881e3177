import type { Texts } from './texts.ts';

/** Texts of the pages in French. */
export const FR: Texts = {
  'site.development': 'développement',
  'site.runBy': 'Service de connexion de {operator}',
  'site.policy': 'Politique de confidentialité',
  'site.terms': 'Conditions d’utilisation',

  'signin.title': 'Se connecter à {client}',
  'signin.returnsTo': 'Vous reviendrez ensuite sur {host}.',
  'signin.staging': 'préproduction',
  'signin.task': 'Montrez que vous êtes une personne',
  'signin.walletNeeded':
    'Il vous faut {wallet}, une application qui prouve que vous êtes une personne sans révéler qui vous êtes.',
  'signin.anyWalletNeeded':
    'Il vous faut un portefeuille, une application qui prouve que vous êtes une personne sans révéler qui vous êtes.',
  'signin.getWallet': 'Obtenir {wallet}',
  'signin.getAnyWallet': 'Obtenir un portefeuille',
  'signin.openWallet': 'Ouvrir le portefeuille',
  'signin.scan':
    'Scannez ce code avec votre portefeuille. S’il se trouve sur cet appareil, ouvrez-le ci-dessous.',
  'signin.scanElsewhere': 'Scanner avec un autre appareil',
  'signin.qrLabel': 'Code QR qui ouvre cette connexion dans un portefeuille',
  'signin.timeLeft': 'Temps restant\u00a0: {time}',
  'signin.retry': 'Réessayer',
  'signin.newCode': 'Afficher un nouveau code',
  'signin.cancel': 'Annuler',
  'signin.continue': 'Continuer',
  'signin.back': 'Retour à {client}',
  'signin.opensApp':
    'Votre navigateur peut demander s’il peut ouvrir l’application. Cette page reste ouverte : si l’application n’apparaît pas, appuyez de nouveau sur le bouton.',
  'signin.lastAttempt': 'C’était la dernière tentative. Vous pouvez recommencer depuis l’application.',
  'signin.step': 'Étape {step} sur {steps}',
  'signin.stepSession': 'Laissez ce service vous reconnaître à votre retour. Une seconde confirmation suit.',
  'signin.stepPair':
    'C’est presque fini : prouvez maintenant que vous êtes une seule personne. La connexion se termine ainsi.',
  'signin.known': 'Ce navigateur est déjà venu ici : montrez dans votre portefeuille que c’est vous.',
  'signin.link4': 'Identité confirmée. Montrez maintenant votre World ID 4.0, qui est ajouté à ce compte.',
  'signin.link3': 'Identité confirmée. Montrez maintenant votre World ID 3.0, qui est ajouté à ce compte.',
  'signin.linkSkip': 'Continuer sans lui',
  'signin.wayOther': 'Une autre personne ou un autre World ID',
  'signin.way3': 'Mon portefeuille n’a que World ID 3.0',
  'signin.way4': 'Mon portefeuille a World ID 4.0',
  'signin.knownByPasskey':
    'Votre clé d’accès est connue ici : montrez dans votre portefeuille que c’est vous.',
  'signin.forgetBrowser': 'Oublier sur ce navigateur qui est venu ici',
  'signin.forgetBrowserNote':
    'La marque de cette application est supprimée de ce navigateur. Votre portefeuille peut refuser pendant un an de prouver la même chose : gardez un autre navigateur ou une clé d’accès qui vous retrouve.',

  'choices.stay': 'Rester connecté à {client} sur ce navigateur',
  'choices.stayNote':
    'Pendant {time}, puis une nouvelle preuve sera demandée. À éviter sur un appareil que d’autres utilisent.',
  'choices.undo': 'Ne pas rester connecté',
  'choices.offline': 'Laisser {client} rester connectée en votre absence',
  'choices.offlineNote':
    'Pendant {time} au plus : l’application peut renouveler son accès sans vous le redemander.',
  'choices.offlineUndo': 'Ne pas laisser l’application connectée',
  'choices.known': 'Me montrer comment {client} me reconnaît avant de revenir',
  'choices.knownNote': 'Vous pourrez y enregistrer une clé d’accès et supprimer ce qui est conservé.',
  'choices.knownUndo': 'Revenir tout de suite',
  'choices.link': 'Ajouter mon World ID de l’autre version',
  'choices.linkNote':
    'Les deux sont dès lors le même compte chez {client}. Rien ne montre que les deux sont à vous : qui ajoute le World ID d’une autre personne la laisse entrer.',
  'choices.linkUndo': 'Ne pas ajouter d’autre World ID',
  'choices.failed': 'Votre choix n’a pas pu être enregistré. Veuillez réessayer.',

  'shared.title': 'Ce que {client} reçoit',
  'shared.identifier': 'Un identifiant réservé à cette application',
  'shared.identifierNote':
    'Les autres applications en reçoivent d’autres\u00a0: personne ne peut les relier.',
  'shared.level': 'La façon dont vous avez obtenu votre vérification',
  'shared.levelNote': 'Devant un Orb ou sur un appareil.',
  'shared.orb': 'Le fait que votre vérification a eu lieu devant un Orb',
  'shared.orbNote': 'Cette application n’accepte rien d’autre.',
  'shared.email': 'Une adresse e-mail de substitution',
  'shared.emailNote': 'Elle est formée à partir de l’identifiant. Personne ne lit ce qui y est envoyé.',
  'shared.name': 'Un nom de substitution',
  'shared.nameNote': 'Il est le même pour toutes les personnes qui se connectent.',
  'shared.known': 'Une marque dans ce navigateur',
  'shared.knownNote':
    'Pour que vous puissiez revenir, ce navigateur garde une marque pour cette application. Elle ne nomme personne.',
  'shared.nothingElse':
    'Elle n’apprend ni votre nom, ni votre adresse, ni ce que vous faites dans d’autres applications.',

  'passkey.use': 'J’ai une clé d’accès',
  'passkey.useNote':
    'Pour les personnes qui ont enregistré une clé d’accès pour {client}. Votre portefeuille prouve ensuite que c’est vous.',
  'passkey.refused':
    'Cette clé d’accès n’a pas été acceptée. Essayez-en une autre, ou connectez-vous sans elle.',
  'passkey.stopped': 'Aucune clé d’accès n’a été utilisée. Vous pouvez réessayer.',
  'passkey.unanswered':
    'Aucune réponse n’est venue du service de connexion. Rechargez cette page pour voir si cela a fonctionné.',
  'passkey.save': 'Enregistrer une clé d’accès',
  'passkey.saveNote':
    'Une clé d’accès vous suit sur vos autres appareils, où {client} vous retrouve alors. Sans votre portefeuille, elle ne vous connecte pas.',
  'passkey.notSaved': 'Aucune clé d’accès n’a été enregistrée. Vous pouvez réessayer.',
  'known.title': 'Comment {client} vous reconnaît',
  'known.text':
    'Quand vous revenez sur {client}, l’un de ces éléments vous retrouve, et votre portefeuille prouve ensuite que c’est vous. Aucun ne connecte qui que ce soit à lui seul, et aucun ne contient votre nom.',
  'known.kept': 'Chacun est supprimé {time} après sa dernière utilisation.',
  'known.sessions': 'Sessions de votre World ID',
  'known.bound': 'Session, liée à vous par une seule preuve',
  'known.paired': 'Session, liée à vous en deux étapes',
  'known.sessionAlone': 'Session seule, qui ne montre pas que vous êtes une seule personne',
  'known.browsers': 'Navigateurs',
  'known.thisBrowser': 'Ce navigateur',
  'known.otherBrowser': 'Un autre navigateur',
  'known.passkeys': 'Clés d’accès',
  'known.passkey': 'Clé d’accès',
  'known.dates': 'Depuis le {created}, dernière utilisation le {used}',
  'known.none': 'Il n’y en a pas.',
  'known.forget': 'Supprimer',
  'known.forgetSessionNote':
    'Les navigateurs et les clés d’accès qui mènent à cette session sont supprimés avec elle.',
  'known.forgetPointerNote': 'Vous ne serez plus reconnu dans ce navigateur.',
  'known.forgetPasskeyNote':
    'Elle ne vous retrouvera plus ici. Supprimez-la aussi dans votre gestionnaire de mots de passe.',
  'known.forgetAll': 'Tout oublier',
  'known.forgetAllNote':
    '{client} ne vous reconnaîtra plus. Votre portefeuille peut refuser pendant un an de prouver la même chose, de sorte que vous ne pourriez pas vous connecter pendant ce temps. Cette connexion reste valable.',
  'known.end': 'Terminé ?',

  'state.waiting': 'En attente de votre portefeuille.',
  'state.connected': 'Confirmez dans votre portefeuille.',
  'state.verifying': 'Vérification de la preuve…',
  'state.completed': 'Identité confirmée. Retour à {client}…',
  'state.completed.stays': 'Identité confirmée. Utilisez le bouton pour revenir à {client}.',
  'state.expired': 'Le délai de réponse est écoulé.',
  'state.failed': 'La connexion a échoué.',
  'state.failed.invalid_proof': 'La preuve n’est pas valable pour cette connexion. Veuillez réessayer.',
  'state.failed.invalid_format': 'La réponse de votre portefeuille n’a pas pu être lue. Veuillez réessayer.',
  'state.failed.invalid_merkle_root':
    'Votre portefeuille a établi la preuve avec une liste de personnes que ce service ne connaît pas.',
  'state.failed.root_too_old':
    'Votre portefeuille a établi la preuve avec une liste de personnes périmée. Veuillez réessayer.',
  'state.failed.server_error': 'Une erreur s’est produite de notre côté. Veuillez réessayer.',
  'state.failed.malformed_request':
    'Votre portefeuille ne peut pas lire cette demande. Mettez-le à jour et réessayez.',
  'state.failed.generic_error':
    'Votre portefeuille n’a pas pu répondre. Si une autre personne utilisait ce navigateur avant vous, choisissez-le ci-dessous ; sinon, réessayez.',
  'state.refused': 'Votre portefeuille a signalé une erreur.',
  'state.refused.access_denied': 'Cette connexion a été annulée.',
  'state.refused.verification_rejected': 'Vous avez refusé dans votre portefeuille.',
  'state.refused.credential_unavailable': 'Votre portefeuille ne contient aucun justificatif qui convienne.',
  'state.refused.login_required':
    'L’application attend une autre personne : vous n’êtes pas celle qui y est connectée.',
  'state.refused.unmet_authentication_requirements':
    'Cette application demande une vérification devant un Orb, et votre portefeuille en a présenté une autre.',
  'state.refused.inclusion_proof_pending':
    'Votre identité ne figure pas encore sur la liste des personnes vérifiées. Réessayez plus tard.',
  'state.refused.inclusion_proof_failed':
    'Votre portefeuille n’a pas pu montrer que vous figurez sur la liste des personnes vérifiées.',
  'state.refused.invalid_network': 'Votre portefeuille est connecté à un autre réseau.',
  'state.refused.max_verifications_reached':
    'Votre portefeuille a atteint le nombre maximal de vérifications pour cette application.',
  'state.refused.credential_not_allowed': 'Cette application n’accepte pas ce type de justificatif.',
  'state.refused.environment_not_allowed':
    'Cette application n’accepte pas les preuves de cet environnement.',
  'state.refused.protocol_version_not_allowed':
    'Cette application n’accepte pas les preuves de cette version de World ID.',
  'state.refused.user_rejected': 'Vous avez refusé dans votre portefeuille.',
  'state.refused.timeout': 'Vous n’avez pas répondu à temps dans votre portefeuille.',
  'state.refused.user_presence_failed':
    'Votre portefeuille n’a pas pu confirmer que c’est bien vous qui l’utilisez. Reconnectez-vous et autorisez la vérification.',
  'state.refused.feature_unavailable':
    'Il manque à votre portefeuille une fonction dont cette connexion a besoin. Mettez-le à jour et reconnectez-vous.',
  'state.refused.world_id_3_not_available':
    'Votre portefeuille ne contient pas de World ID 3.0, que cette application demande. Connectez-vous avec un portefeuille qui en contient un.',
  'state.refused.world_id_4_not_available':
    'Votre portefeuille ne contient pas de World ID 4.0. Mettez-le à jour et reconnectez-vous.',
  'state.refused.nullifier_replayed':
    'Votre portefeuille a déjà prouvé cela et ne le refait pas. Ce qui aide : le navigateur où vous vous êtes connecté auparavant, une clé d’accès que vous avez enregistrée, ou un autre appareil avec votre World ID. Dans les dix minutes qui suivent la première fois, votre portefeuille le prouve à nouveau.',
  'state.refused.identity_attributes_not_matched':
    'Ce que l’application demande ne correspond pas à l’identité de votre portefeuille.',
  'signin.unreachable':
    'Aucune réponse du service de connexion pour le moment. Cette page continue d’essayer.',
  'signin.busy':
    'Le service de connexion est très sollicité. Cette page continuera d’elle-même dans un instant.',

  'simulator.title': 'Lien pour un simulateur de portefeuille',
  'simulator.address': 'Adresse à coller dans le simulateur',
  'simulator.copy': 'Copier l’adresse',
  'simulator.copied': 'Copiée.',
  'simulator.copyByHand':
    'Le navigateur ne permet pas la copie ici. L’adresse est sélectionnée\u00a0: copiez-la vous-même.',

  'error.title': 'Cette demande pose un problème',
  'error.ourTitle': 'Une erreur s’est produite de notre côté',
  'error.advice':
    'Revenez à l’application qui vous a envoyé ici et réessayez. Si cela se reproduit, transmettez à ses responsables les informations ci-dessous.',
  'error.ourAdvice': 'Réessayez dans un instant.',
  'error.invalid_request': 'L’application a envoyé une demande que ce service ne peut pas traiter.',
  'error.required': 'L’application a omis une information dont ce service a besoin.',
  'error.invalid_redirect_uri':
    'L’application veut vous envoyer à une adresse qui n’est pas enregistrée pour elle.',
  'error.invalid_request_uri':
    'Ce lien de l’application n’est pas valable, ou ne l’est plus : un tel lien sert peu de temps et pour une seule connexion. Recommencez depuis l’application.',
  'error.request_uri_used':
    'Ce lien de l’application a été utilisé : une connexion avec ce lien est terminée. Si l’application ne vous reconnaît pas, recommencez depuis celle-ci.',
  'error.request_uri_expired': 'Ce lien de l’application a expiré. Recommencez depuis l’application.',
  'error.app_not_found': 'Ce service ne connaît pas l’application.',
  'error.sign_in_not_enabled': 'La connexion est désactivée pour cette application.',
  'error.request_too_large': 'La demande de l’application est trop volumineuse.',
  'error.not_found': 'Cette page n’existe pas.',
  'error.server_error': 'Le service ne peut pas répondre pour le moment.',
  'error.message': 'Message',
  'error.code': 'Code',
  'error.attribute': 'Attribut',
  'error.request': 'Requête',
  'error.details': 'Détails techniques',

  'lost.title': 'Cette connexion ne peut pas continuer ici',
  'lost.otherOrigin':
    'Cette page a été ouverte sur {actual}, mais la connexion ne fonctionne que sur {expected}.',
  'lost.noSession': 'Votre navigateur ne participe pas à cette connexion, ou elle est terminée.',
  'lost.advice':
    'Revenez à l’application et recommencez, en autorisant les cookies et dans un seul navigateur.',
  'lost.causes': 'Causes probables',
  'lost.tooLong': 'La connexion a duré plus de {minutes}.',
  'lost.cookiesBlocked': 'Les cookies sont bloqués pour {host}.',
  'lost.otherBrowser':
    'Le lien a été ouvert dans un autre navigateur, sur un autre appareil ou dans une fenêtre privée.',
  'lost.secureRefused':
    'Ce navigateur refuse les cookies sécurisés de {expected}, qui n’est pas en https. Safari les refuse de toute adresse http, Firefox de toutes sauf localhost ; Chrome les accepte.',
  'lost.tooMany': 'Plus de {count} connexions étaient ouvertes dans ce navigateur.',
  'lost.http': 'La page a été ouverte en http au lieu de https.',
  'lost.cookie': 'Cookie manquant',
  'lost.expected': 'Origine attendue',
  'lost.actual': 'Origine réelle',
  'finished.title': 'Cette connexion est déjà terminée',
  'finished.text': 'L’application a reçu sa réponse. Vous pouvez fermer cette page.',
  'finished.advice': 'Si l’application ne vous reconnaît pas, recommencez depuis celle-ci.',

  'logout.ask': 'Se déconnecter ?',
  'logout.askText': 'Ce navigateur est connecté à :',
  'logout.button': 'Se déconnecter',
  'logout.stay': 'Pour rester connecté, fermez cette page.',
  'logout.done': 'Vous êtes déconnecté',
  'logout.doneFrom': 'Vous êtes déconnecté de {client}',
  'logout.doneText': 'Vous pouvez fermer cette page. La prochaine connexion demandera une nouvelle preuve.',
  'logout.none': 'Vous n’êtes pas connecté',
  'logout.noneFrom': 'Vous n’êtes pas connecté à {client}',
  'logout.noneText': 'Il n’y a aucune session à fermer dans ce navigateur. Vous pouvez fermer cette page.',

  'wait.title': 'Veuillez patienter un instant',
  'wait.text': 'Trop de demandes sont parvenues de votre réseau.',
  'wait.again': 'Vous pourrez réessayer dans {wait}.',
  'wait.now': 'Vous pouvez maintenant réessayer.',
  'wait.goesOn': 'Cette page continuera alors d’elle-même.',
  'wait.retry': 'Réessayer',

  'notFound.title': 'Page introuvable',
  'notFound.text': 'Il n’y a rien à cette adresse.',
  'notFound.advice': 'Si une application vous a envoyé ici, revenez-y et recommencez.',
  'notFound.home': 'À propos de ce service',

  'landing.text':
    'Ici, des personnes prouvent qu’elles sont humaines sans révéler qui elles sont. Des applications utilisent ce service pour la connexion.',
  'landing.advice':
    'Il n’y a rien à faire sur cette page. Pour vous connecter, partez de l’application que vous souhaitez utiliser.',
  'landing.links': 'Liens',
  'landing.demo': 'Essayer la démonstration',
  'landing.wallet': 'Ouvrir le portefeuille de démonstration',
  'landing.docs': 'Référence de l’API pour les développeurs',
  'landing.discovery': 'Configuration pour les développeurs',

  'formPost.title': 'Retour à l’application',
  'formPost.text': 'Appuyez sur le bouton si vous ne revenez pas de vous-même à l’application.',
  'formPost.button': 'Continuer',
};
