import type { Texts } from './texts.ts';

/** Texts of the pages in Spanish. */
export const ES: Texts = {
  'site.development': 'desarrollo',
  'site.runBy': 'Servicio de inicio de sesión de {operator}',
  'site.policy': 'Política de privacidad',
  'site.terms': 'Condiciones de uso',

  'signin.title': 'Iniciar sesión en {client}',
  'signin.returnsTo': 'Después volverás a {host}.',
  'signin.staging': 'pruebas',
  'signin.task': 'Demuestra que eres una persona',
  'signin.walletNeeded':
    'Necesitas {wallet}, una aplicación que demuestra que eres una persona sin revelar quién eres.',
  'signin.anyWalletNeeded':
    'Necesitas una aplicación de billetera que demuestre que eres una persona sin revelar quién eres.',
  'signin.getWallet': 'Obtener {wallet}',
  'signin.getAnyWallet': 'Obtener una billetera',
  'signin.openWallet': 'Abrir la billetera',
  'signin.scan':
    'Escanea este código con tu billetera. Si la billetera está en este dispositivo, ábrela aquí abajo.',
  'signin.scanElsewhere': 'Escanear con otro dispositivo',
  'signin.qrLabel': 'Código QR que abre este inicio de sesión en una billetera',
  'signin.timeLeft': 'Tiempo restante: {time}',
  'signin.retry': 'Reintentar',
  'signin.newCode': 'Mostrar un código nuevo',
  'signin.cancel': 'Cancelar',
  'signin.continue': 'Continuar',
  'signin.back': 'Volver a {client}',
  'signin.opensApp':
    'Puede que tu navegador pregunte si puede abrir la aplicación. Esta página sigue abierta: si la aplicación no aparece, vuelve a pulsar el botón.',
  'signin.lastAttempt': 'Ese fue el último intento. Puedes empezar de nuevo desde la aplicación.',
  'signin.step': 'Paso {step} de {steps}',
  'signin.stepSession':
    'Permite que este servicio te reconozca cuando vuelvas. Después sigue una segunda confirmación.',
  'signin.stepPair':
    'Casi listo: demuestra ahora que eres una sola persona. Con esto termina el inicio de sesión.',
  'signin.known': 'Este navegador ya estuvo aquí: muestra en tu cartera que eres tú.',
  'signin.link4': 'Identidad confirmada. Muestra ahora tu World ID 4.0, que se añade a esta cuenta.',
  'signin.link3': 'Identidad confirmada. Muestra ahora tu World ID 3.0, que se añade a esta cuenta.',
  'signin.linkSkip': 'Seguir sin él',
  'signin.wayOther': 'Otra persona u otro World ID',
  'signin.way3': 'Mi cartera solo tiene World ID 3.0',
  'signin.way4': 'Mi cartera tiene World ID 4.0',
  'signin.knownByPasskey': 'Tu clave de acceso se conoce aquí: muestra en tu cartera que eres tú.',
  'signin.forgetBrowser': 'Olvidar en este navegador quién estuvo aquí',
  'signin.forgetBrowserNote':
    'La marca de esta aplicación se borra de este navegador. Tu cartera puede negarse durante un año a demostrar lo mismo otra vez: conserva otro navegador o una clave de acceso que te encuentre.',

  'choices.stay': 'Mantener la sesión en {client} en este navegador',
  'choices.stayNote':
    'Durante {time}; después tendrás que demostrarlo de nuevo. No lo actives en un dispositivo que usan otras personas.',
  'choices.undo': 'No mantener la sesión',
  'choices.offline': 'Permitir que {client} siga conectada cuando no estés',
  'choices.offlineNote': 'Hasta {time}: la aplicación puede renovar su acceso sin volver a preguntarte.',
  'choices.offlineUndo': 'No permitir que la aplicación siga conectada',
  'choices.known': 'Mostrarme cómo me reconoce {client} antes de volver',
  'choices.knownNote': 'Allí puedes guardar una clave de acceso y borrar lo que está guardado.',
  'choices.knownUndo': 'Volver enseguida',
  'choices.link': 'Añadir mi World ID de la otra versión',
  'choices.linkNote':
    'A partir de entonces, ambos son la misma cuenta en {client}. Nada muestra que los dos sean tuyos: quien añade el World ID de otra persona la deja entrar.',
  'choices.linkUndo': 'No añadir otro World ID',
  'choices.failed': 'No se pudo guardar tu elección. Inténtalo de nuevo.',

  'shared.title': 'Qué recibe {client}',
  'shared.identifier': 'Un identificador solo para esta aplicación',
  'shared.identifierNote': 'Las demás aplicaciones reciben otros, de modo que nadie puede relacionarlos.',
  'shared.level': 'Cómo se te verificó',
  'shared.levelNote': 'En un Orb o en un dispositivo.',
  'shared.orb': 'Que se te verificó en un Orb',
  'shared.orbNote': 'Esta aplicación no acepta otra verificación.',
  'shared.email': 'Una dirección de correo ficticia',
  'shared.emailNote': 'Se forma a partir del identificador. Nadie lee lo que se envía a ella.',
  'shared.name': 'Un nombre ficticio',
  'shared.nameNote': 'Es el mismo para todas las personas que inician sesión.',
  'shared.known': 'Una marca en este navegador',
  'shared.knownNote':
    'Para que puedas volver, este navegador guarda una marca para esta aplicación. No nombra a nadie.',
  'shared.nothingElse':
    'No se entera de tu nombre, de tu dirección ni de lo que haces en otras aplicaciones.',

  'passkey.use': 'Tengo una clave de acceso',
  'passkey.useNote':
    'Para quienes guardaron una clave de acceso para {client}. Después, tu cartera demuestra que eres tú.',
  'passkey.refused': 'No se aceptó esta clave de acceso. Prueba con otra o inicia sesión sin ella.',
  'passkey.stopped': 'No se usó ninguna clave de acceso. Puedes intentarlo de nuevo.',
  'passkey.unanswered':
    'No llegó ninguna respuesta del servicio de inicio de sesión. Vuelve a cargar esta página para ver si funcionó.',
  'passkey.save': 'Guardar una clave de acceso',
  'passkey.saveNote':
    'Una clave de acceso te sigue a tus otros dispositivos, donde {client} te encuentra. Sin tu cartera no inicia tu sesión.',
  'passkey.notSaved': 'No se guardó ninguna clave de acceso. Puedes intentarlo de nuevo.',
  'known.title': 'Cómo te reconoce {client}',
  'known.text':
    'Cuando vuelvas a {client}, una de estas cosas te encuentra y tu cartera demuestra después que eres tú. Ninguna inicia sesión por sí sola y ninguna contiene tu nombre.',
  'known.kept': 'Cada una se borra {time} después de su último uso.',
  'known.sessions': 'Sesiones de tu World ID',
  'known.bound': 'Sesión, unida a ti por una sola prueba',
  'known.paired': 'Sesión, unida a ti en dos pasos',
  'known.sessionAlone': 'Solo una sesión, que no muestra que eres una sola persona',
  'known.browsers': 'Navegadores',
  'known.thisBrowser': 'Este navegador',
  'known.otherBrowser': 'Otro navegador',
  'known.passkeys': 'Claves de acceso',
  'known.passkey': 'Clave de acceso',
  'known.dates': 'Desde el {created}, último uso el {used}',
  'known.none': 'No hay ninguna.',
  'known.forget': 'Borrar',
  'known.forgetSessionNote':
    'Los navegadores y las claves de acceso que llevan a esta sesión se borran con ella.',
  'known.forgetPointerNote': 'En ese navegador ya no se te reconocerá.',
  'known.forgetPasskeyNote': 'Ya no te encontrará aquí. Bórrala también en tu gestor de contraseñas.',
  'known.forgetAll': 'Olvidarlo todo',
  'known.forgetAllNote':
    '{client} ya no te reconocerá. Tu cartera puede negarse durante un año a demostrar lo mismo otra vez, de modo que no podrías iniciar sesión en ese tiempo. Este inicio de sesión todavía vale.',
  'known.end': '¿Listo?',

  'state.waiting': 'Esperando a tu billetera.',
  'state.connected': 'Confirma en tu billetera.',
  'state.verifying': 'Comprobando la prueba…',
  'state.completed': 'Identidad confirmada. Volviendo a {client}…',
  'state.completed.stays': 'Identidad confirmada. Usa el botón para volver a {client}.',
  'state.expired': 'Se acabó el tiempo para responder.',
  'state.failed': 'No se pudo iniciar sesión.',
  'state.failed.invalid_proof': 'La prueba no es válida para este inicio de sesión. Inténtalo de nuevo.',
  'state.failed.invalid_format': 'No se pudo leer la respuesta de tu billetera. Inténtalo de nuevo.',
  'state.failed.invalid_merkle_root':
    'Tu billetera hizo la prueba con una lista de personas que este servicio no conoce.',
  'state.failed.root_too_old':
    'Tu billetera hizo la prueba con una lista de personas desactualizada. Inténtalo de nuevo.',
  'state.failed.server_error': 'Algo ha fallado por nuestra parte. Inténtalo de nuevo.',
  'state.failed.malformed_request':
    'Tu cartera no puede leer esta solicitud. Actualiza la cartera e inténtalo de nuevo.',
  'state.failed.generic_error':
    'Tu cartera no pudo responder. Si antes había otra persona en este navegador, elígelo abajo; si no, inténtalo de nuevo.',
  'state.refused': 'Tu billetera ha comunicado un error.',
  'state.refused.access_denied': 'Este inicio de sesión se canceló.',
  'state.refused.verification_rejected': 'Has rechazado la solicitud en tu billetera.',
  'state.refused.credential_unavailable': 'Tu billetera no tiene ninguna credencial adecuada.',
  'state.refused.login_required':
    'La aplicación espera a otra persona: no eres quien tiene la sesión iniciada allí.',
  'state.refused.unmet_authentication_requirements':
    'Esta aplicación pide una verificación en un Orb y tu billetera ha presentado otra.',
  'state.refused.inclusion_proof_pending':
    'Tu identidad aún no está en la lista de personas verificadas. Inténtalo más tarde.',
  'state.refused.inclusion_proof_failed':
    'Tu billetera no pudo demostrar que estás en la lista de personas verificadas.',
  'state.refused.invalid_network': 'Tu billetera está conectada a otra red.',
  'state.refused.max_verifications_reached':
    'Tu billetera ha alcanzado el límite de verificaciones para esta aplicación.',
  'state.refused.credential_not_allowed': 'Esta aplicación no acepta este tipo de credencial.',
  'state.refused.environment_not_allowed': 'Esta aplicación no acepta pruebas de este entorno.',
  'state.refused.protocol_version_not_allowed':
    'Esta aplicación no acepta pruebas de esta versión de World ID.',
  'state.refused.user_rejected': 'Has rechazado la solicitud en tu billetera.',
  'state.refused.timeout': 'No has respondido a tiempo en tu billetera.',
  'state.refused.user_presence_failed':
    'Tu billetera no pudo confirmar que eres tú quien la usa. Inicia sesión de nuevo y permite la comprobación.',
  'state.refused.feature_unavailable':
    'A tu billetera le falta una función que este inicio de sesión necesita. Actualízala e inicia sesión de nuevo.',
  'state.refused.world_id_3_not_available':
    'Tu billetera no tiene un World ID 3.0, que es lo que pide esta aplicación. Inicia sesión con una billetera que lo tenga.',
  'state.refused.world_id_4_not_available':
    'Tu billetera no tiene un World ID 4.0. Actualízala e inicia sesión de nuevo.',
  'state.refused.nullifier_replayed':
    'Tu cartera ya demostró esto y no lo hace otra vez. Qué ayuda: el navegador en el que iniciaste sesión antes, una clave de acceso que guardaste u otro dispositivo con tu World ID. Durante los diez minutos siguientes a la primera vez, tu cartera lo demuestra de nuevo.',
  'state.refused.identity_attributes_not_matched':
    'Lo que pide la aplicación no coincide con la identidad de tu billetera.',
  'signin.unreachable':
    'Ahora mismo no llega ninguna respuesta del servicio de inicio de sesión. Esta página lo sigue intentando.',
  'signin.busy':
    'El servicio de inicio de sesión está ocupado. Esta página continuará sola dentro de un momento.',

  'simulator.title': 'Enlace para un simulador de billetera',
  'simulator.address': 'Dirección para pegar en el simulador',
  'simulator.copy': 'Copiar la dirección',
  'simulator.copied': 'Copiada.',
  'simulator.copyByHand':
    'El navegador no permite copiar aquí. La dirección está seleccionada: cópiala manualmente.',

  'error.title': 'Hay un problema con esta solicitud',
  'error.ourTitle': 'Algo ha fallado por nuestra parte',
  'error.advice':
    'Vuelve a la aplicación que te envió aquí e inténtalo de nuevo. Si se repite, comunica a sus responsables los datos de abajo.',
  'error.ourAdvice': 'Inténtalo de nuevo dentro de un momento.',
  'error.invalid_request': 'La aplicación envió una solicitud que este servicio no puede usar.',
  'error.required': 'La aplicación omitió un dato que este servicio necesita.',
  'error.invalid_redirect_uri': 'La aplicación quiere enviarte a una dirección que no tiene registrada.',
  'error.invalid_request_uri':
    'Este enlace de la aplicación no es válido, o ya no lo es: estos enlaces sirven por poco tiempo y para un solo inicio de sesión. Vuelve a empezar en la aplicación.',
  'error.request_uri_used':
    'Este enlace de la aplicación ya se usó: un inicio de sesión con él ha terminado. Si la aplicación no te reconoce, empieza de nuevo en ella.',
  'error.request_uri_expired': 'Este enlace de la aplicación ha caducado. Vuelve a empezar en la aplicación.',
  'error.app_not_found': 'Este servicio no conoce la aplicación.',
  'error.sign_in_not_enabled': 'El inicio de sesión está desactivado para esta aplicación.',
  'error.request_too_large': 'La solicitud de la aplicación es demasiado grande.',
  'error.not_found': 'Esta página no existe.',
  'error.server_error': 'El servicio no puede responder en este momento.',
  'error.message': 'Mensaje',
  'error.code': 'Código',
  'error.attribute': 'Atributo',
  'error.request': 'Solicitud',
  'error.details': 'Datos técnicos',

  'lost.title': 'Este inicio de sesión no puede continuar aquí',
  'lost.otherOrigin':
    'Esta página se abrió en {actual}, pero el inicio de sesión solo funciona en {expected}.',
  'lost.noSession': 'Tu navegador no forma parte de este inicio de sesión, o este ya ha terminado.',
  'lost.advice':
    'Vuelve a la aplicación y empieza de nuevo, con las cookies permitidas y en un mismo navegador.',
  'lost.causes': 'Causas probables',
  'lost.tooLong': 'El inicio de sesión duró más de {minutes}.',
  'lost.cookiesBlocked': 'Las cookies están bloqueadas para {host}.',
  'lost.otherBrowser': 'El enlace se abrió en otro navegador, en otro dispositivo o en una ventana privada.',
  'lost.secureRefused':
    'Este navegador rechaza las cookies seguras de {expected}, porque no es https. Safari las rechaza de cualquier dirección http, Firefox de todas menos localhost; Chrome las acepta.',
  'lost.tooMany': 'En este navegador había más de {count} inicios de sesión abiertos.',
  'lost.http': 'La página se abrió con http en lugar de https.',
  'lost.cookie': 'Cookie que falta',
  'lost.expected': 'Origen esperado',
  'lost.actual': 'Origen real',
  'finished.title': 'Este inicio de sesión ya ha terminado',
  'finished.text': 'La aplicación ya tiene su respuesta. Puedes cerrar esta página.',
  'finished.advice': 'Si la aplicación no te reconoce, empieza de nuevo en ella.',

  'logout.ask': '¿Cerrar sesión?',
  'logout.askText': 'En este navegador has iniciado sesión en:',
  'logout.button': 'Cerrar sesión',
  'logout.stay': 'Para mantener la sesión, cierra esta página.',
  'logout.done': 'Has cerrado la sesión',
  'logout.doneFrom': 'Has cerrado la sesión en {client}',
  'logout.doneText': 'Puedes cerrar esta página. El próximo inicio de sesión pedirá una nueva prueba.',
  'logout.none': 'No has iniciado sesión',
  'logout.noneFrom': 'No has iniciado sesión en {client}',
  'logout.noneText': 'En este navegador no hay ninguna sesión que cerrar. Puedes cerrar esta página.',

  'wait.title': 'Espera un momento',
  'wait.text': 'Han llegado demasiadas solicitudes desde tu red.',
  'wait.again': 'Puedes intentarlo de nuevo en {wait}.',
  'wait.now': 'Ya puedes intentarlo de nuevo.',
  'wait.goesOn': 'Después, esta página continuará por sí sola.',
  'wait.retry': 'Reintentar',

  'notFound.title': 'Página no encontrada',
  'notFound.text': 'No hay nada en esta dirección.',
  'notFound.advice': 'Si te envió aquí una aplicación, vuelve a ella y empieza de nuevo.',
  'notFound.home': 'Acerca de este servicio',

  'landing.text':
    'Aquí las personas demuestran que son humanas sin revelar quiénes son. Las aplicaciones usan este servicio para el inicio de sesión.',
  'landing.advice':
    'En esta página no hay nada que hacer. Para iniciar sesión, empieza en la aplicación que quieras usar.',
  'landing.links': 'Enlaces',
  'landing.demo': 'Probar la demostración',
  'landing.wallet': 'Abrir la billetera de demostración',
  'landing.docs': 'Referencia de la API para desarrolladores',
  'landing.discovery': 'Configuración para desarrolladores',

  'formPost.title': 'Volver a la aplicación',
  'formPost.text': 'Pulsa el botón si no vuelves a la aplicación por sí solo.',
  'formPost.button': 'Continuar',
};
