import type { Texts } from './texts.ts';

/** Texts of the pages in Japanese. */
export const JA: Texts = {
  'site.development': '開発用',
  'site.runBy': '{operator} のサインインサービス',
  'site.policy': 'プライバシーポリシー',
  'site.terms': '利用規約',

  'signin.title': '{client} にサインイン',
  'signin.returnsTo': '完了後、{host} に戻ります。',
  'signin.staging': 'ステージング',
  'signin.task': '人間であることを証明してください',
  'signin.walletNeeded': '{wallet} が必要です。身元を明かさずに人間であることを証明するアプリです。',
  'signin.anyWalletNeeded': '身元を明かさずに人間であることを証明するウォレットアプリが必要です。',
  'signin.getWallet': '{wallet} を入手',
  'signin.getAnyWallet': 'ウォレットアプリを入手',
  'signin.openWallet': 'ウォレットを開く',
  'signin.scan':
    'このコードをウォレットで読み取ってください。ウォレットがこの端末にある場合は、下のボタンから開いてください。',
  'signin.scanElsewhere': '別の端末で読み取る',
  'signin.qrLabel': 'このサインインをウォレットで開く QR コード',
  'signin.timeLeft': '残り時間：{time}',
  'signin.retry': 'もう一度試す',
  'signin.newCode': '新しいコードを表示',
  'signin.cancel': 'キャンセル',
  'signin.continue': '続ける',
  'signin.back': '{client} に戻る',
  'signin.opensApp':
    'アプリを開いてよいか、ブラウザーが確認することがあります。このページは開いたままです。アプリが表示されない場合は、もう一度ボタンを押してください。',
  'signin.lastAttempt': 'これが最後の試行でした。アプリからもう一度始めることができます。',
  'signin.step': 'ステップ {step} / {steps}',
  'signin.stepSession':
    '次に戻ってきたときに、このサービスがあなたを認識できるようにします。このあと、もう一度確認があります。',
  'signin.stepPair':
    'あと少しです。あなたが一人の人間であることを証明してください。これでサインインが完了します。',
  'signin.known': 'このブラウザは以前にも使われています。本人であることをウォレットで示してください。',
  'signin.link4': '確認できました。次に、このアカウントに追加する World ID 4.0 を示してください。',
  'signin.link3': '確認できました。次に、このアカウントに追加する World ID 3.0 を示してください。',
  'signin.linkSkip': '追加せずに続ける',
  'signin.wayOther': '別の人、または別の World ID を使う',
  'signin.way3': 'ウォレットには World ID 3.0 しかありません',
  'signin.way4': 'ウォレットに World ID 4.0 があります',
  'signin.knownByPasskey': 'このパスキーは登録されています。本人であることをウォレットで示してください。',
  'signin.forgetBrowser': 'このブラウザーから、以前に使った人の記録を消す',
  'signin.forgetBrowserNote':
    'このアプリの目印をこのブラウザーから削除します。ウォレットは最長 1 年間、同じことを再び証明しない場合があります。別のブラウザーかパスキーを残しておいてください。',

  'choices.stay': 'このブラウザーで {client} にサインインしたままにする',
  'choices.stayNote':
    '期間は {time} です。その後はもう一度証明が必要です。ほかの人も使う端末では選ばないでください。',
  'choices.undo': 'サインインしたままにしない',
  'choices.offline': '不在のときも {client} の接続を維持する',
  'choices.offlineNote': '最長 {time} です。アプリは、再び尋ねることなくアクセスを更新できます。',
  'choices.offlineUndo': 'アプリの接続を維持しない',
  'choices.known': '戻る前に、{client} が私をどう見分けるかを表示する',
  'choices.knownNote': 'そこでパスキーを保存したり、保存された情報を削除したりできます。',
  'choices.knownUndo': 'すぐに戻る',
  'choices.link': 'もう一方のバージョンの World ID を追加する',
  'choices.linkNote':
    '以後、{client} では両方が同じアカウントになります。両方があなたのものであることは証明されません。他の人の World ID を追加すると、その人もサインインできるようになります。',
  'choices.linkUndo': 'World ID を追加しない',
  'choices.failed': '選択を保存できませんでした。もう一度お試しください。',

  'shared.title': '{client} が受け取る情報',
  'shared.identifier': 'このアプリ専用の識別子',
  'shared.identifierNote': 'ほかのアプリには別の識別子が渡されるため、互いに結び付けることはできません。',
  'shared.level': '認証の方法',
  'shared.levelNote': 'Orb または端末のいずれかです。',
  'shared.orb': 'Orb で認証済みであること',
  'shared.orbNote': 'このアプリはほかの認証を受け付けません。',
  'shared.email': '仮のメールアドレス',
  'shared.emailNote': '識別子から作られます。送られたメールを読む人はいません。',
  'shared.name': '仮の名前',
  'shared.nameNote': 'サインインするすべての人に共通です。',
  'shared.known': 'このブラウザの目印',
  'shared.knownNote':
    'また戻ってこられるように、このブラウザはこのアプリ用の目印を保存します。目印は誰の名前も含みません。',
  'shared.nothingElse': '氏名、住所、ほかのアプリでの行動がこのアプリに知られることはありません。',

  'passkey.use': 'パスキーを使う',
  'passkey.useNote':
    '{client} 用のパスキーを保存した方向けです。そのあと、ウォレットで本人であることを証明します。',
  'passkey.refused':
    'このパスキーは受け付けられませんでした。別のパスキーを試すか、パスキーなしでサインインしてください。',
  'passkey.stopped': 'パスキーは使われませんでした。もう一度お試しください。',
  'passkey.unanswered':
    'サインインサービスから応答がありませんでした。このページを再読み込みして、結果を確認してください。',
  'passkey.save': 'パスキーを保存する',
  'passkey.saveNote':
    'パスキーはほかの端末でも使え、そこでも {client} があなたを見つけられます。ウォレットなしではサインインできません。',
  'passkey.notSaved': 'パスキーは保存されませんでした。もう一度お試しください。',
  'known.title': '{client} があなたを見分ける方法',
  'known.text':
    '{client} に戻ると、次のどれかがあなたを見つけ、そのあとウォレットが本人であることを証明します。どれも単独ではサインインできず、名前も含みません。',
  'known.kept': 'どれも、最後に使ってから {time} 後に削除されます。',
  'known.sessions': 'World ID のセッション',
  'known.bound': '一つの証明であなたに結び付けられたセッション',
  'known.paired': '二つの手順であなたに結び付けられたセッション',
  'known.sessionAlone': 'セッションのみ（一人であることは示しません）',
  'known.browsers': 'ブラウザー',
  'known.thisBrowser': 'このブラウザー',
  'known.otherBrowser': '別のブラウザー',
  'known.passkeys': 'パスキー',
  'known.passkey': 'パスキー',
  'known.dates': '{created} から、最終使用日 {used}',
  'known.none': 'ありません。',
  'known.forget': '削除',
  'known.forgetSessionNote': 'このセッションにつながるブラウザーとパスキーの記録も削除されます。',
  'known.forgetPointerNote': 'そのブラウザーでは、あなたは見分けられなくなります。',
  'known.forgetPasskeyNote':
    'このパスキーではあなたを見つけられなくなります。パスワードマネージャーからも削除してください。',
  'known.forgetAll': 'すべて忘れる',
  'known.forgetAllNote':
    '{client} はあなたを見分けられなくなります。ウォレットは最長 1 年間、同じことを再び証明しない場合があり、その間はサインインできないことがあります。今回のサインインは有効です。',
  'known.end': '完了しましたか？',

  'state.waiting': 'ウォレットを待っています。',
  'state.connected': 'ウォレットで確認してください。',
  'state.verifying': '証明を確認しています…',
  'state.completed': '確認できました。{client} に戻ります…',
  'state.completed.stays': '確認できました。ボタンを押して {client} に戻ってください。',
  'state.expired': '応答の制限時間が過ぎました。',
  'state.failed': 'サインインできませんでした。',
  'state.failed.invalid_proof': 'この証明は今回のサインインには使えません。もう一度お試しください。',
  'state.failed.invalid_format': 'ウォレットの応答を読み取れませんでした。もう一度お試しください。',
  'state.failed.invalid_merkle_root':
    'ウォレットの証明に使われた登録者リストは、このサービスでは確認できません。',
  'state.failed.root_too_old':
    'ウォレットの証明に使われた登録者リストが古くなっています。もう一度お試しください。',
  'state.failed.server_error': 'サービス側で問題が発生しました。もう一度お試しください。',
  'state.failed.malformed_request':
    'ウォレットがこのリクエストを読み取れません。ウォレットを更新して、もう一度お試しください。',
  'state.failed.generic_error':
    'ウォレットが応答できませんでした。以前に別の人がこのブラウザを使っていた場合は、下の選択肢を選んでください。それ以外の場合は、もう一度お試しください。',
  'state.refused': 'ウォレットからエラーが報告されました。',
  'state.refused.access_denied': 'このサインインはキャンセルされました。',
  'state.refused.verification_rejected': 'ウォレットで拒否しました。',
  'state.refused.credential_unavailable': 'ウォレットに条件を満たす資格情報がありません。',
  'state.refused.login_required':
    'アプリは別の人を求めています。あなたは、そこにサインインしている人ではありません。',
  'state.refused.unmet_authentication_requirements':
    'このアプリは Orb での認証を必要としますが、ウォレットは別の認証を提示しました。',
  'state.refused.inclusion_proof_pending':
    'まだ認証済みの人のリストに登録されていません。しばらくしてからお試しください。',
  'state.refused.inclusion_proof_failed':
    'ウォレットは、認証済みの人のリストに登録されていることを証明できませんでした。',
  'state.refused.invalid_network': 'ウォレットが別のネットワークに接続しています。',
  'state.refused.max_verifications_reached': 'このアプリでの認証回数がウォレットの上限に達しました。',
  'state.refused.credential_not_allowed': 'このアプリはこの種類の資格情報を受け付けません。',
  'state.refused.environment_not_allowed': 'このアプリはこの環境の証明を受け付けません。',
  'state.refused.protocol_version_not_allowed':
    'このアプリはこのバージョンの World ID の証明を受け付けません。',
  'state.refused.user_rejected': 'ウォレットで拒否しました。',
  'state.refused.timeout': '時間内にウォレットで応答しませんでした。',
  'state.refused.user_presence_failed':
    'ウォレットは、本人が使っていることを確認できませんでした。もう一度サインインし、確認を許可してください。',
  'state.refused.feature_unavailable':
    'ウォレットには、このサインインに必要な機能がありません。ウォレットを更新して、もう一度サインインしてください。',
  'state.refused.world_id_3_not_available':
    'このアプリが求める World ID 3.0 がウォレットにありません。World ID 3.0 のあるウォレットでサインインしてください。',
  'state.refused.world_id_4_not_available':
    'ウォレットに World ID 4.0 がありません。ウォレットを更新して、もう一度サインインしてください。',
  'state.refused.nullifier_replayed':
    'ウォレットはこれをすでに証明しており、もう一度は証明しません。以前にサインインしたブラウザ、保存したパスキー、または World ID のある別の端末を使ってください。最初の証明から 10 分以内であれば、ウォレットはもう一度証明します。',
  'state.refused.identity_attributes_not_matched':
    'アプリが求める内容が、ウォレットの本人情報と一致しません。',
  'signin.unreachable': '現在、サインインサービスから応答がありません。このページは自動的に再試行します。',
  'signin.busy': 'サインインサービスが混み合っています。このページはまもなく自動的に先へ進みます。',

  'simulator.title': 'ウォレットシミュレーター用のリンク',
  'simulator.address': 'シミュレーターに貼り付けるアドレス',
  'simulator.copy': 'アドレスをコピー',
  'simulator.copied': 'コピーしました。',
  'simulator.copyByHand':
    'ブラウザーがコピーを許可していません。アドレスは選択されているので、手動でコピーしてください。',

  'error.title': 'このリクエストには問題があります',
  'error.ourTitle': 'サービス側で問題が発生しました',
  'error.advice':
    '元のアプリに戻って、もう一度お試しください。繰り返し発生する場合は、下の情報をアプリの提供元にお知らせください。',
  'error.ourAdvice': 'しばらくしてからもう一度お試しください。',
  'error.invalid_request': 'アプリからのリクエストを、このサービスは処理できません。',
  'error.required': 'アプリからのリクエストに、必要な情報が含まれていません。',
  'error.invalid_redirect_uri': 'アプリが指定した戻り先のアドレスは登録されていません。',
  'error.invalid_request_uri':
    'アプリのこのリンクは無効か、すでに使えません。このようなリンクは短い時間、一回のサインインにだけ使えます。アプリからやり直してください。',
  'error.request_uri_used':
    'アプリのこのリンクは使用済みです。このリンクによるサインインは終了しています。アプリでサインインした状態になっていない場合は、アプリからやり直してください。',
  'error.request_uri_expired': 'アプリのこのリンクは期限切れです。アプリからやり直してください。',
  'error.app_not_found': 'このサービスには登録されていないアプリです。',
  'error.sign_in_not_enabled': 'このアプリではサインインが無効になっています。',
  'error.request_too_large': 'アプリからのリクエストが大きすぎます。',
  'error.not_found': 'このページは存在しません。',
  'error.server_error': '現在、サービスは応答できません。',
  'error.message': 'メッセージ',
  'error.code': 'コード',
  'error.attribute': '属性',
  'error.request': 'リクエスト',
  'error.details': '技術情報',

  'lost.title': 'ここではサインインを続けられません',
  'lost.otherOrigin': 'このページは {actual} で開かれましたが、サインインは {expected} でのみ利用できます。',
  'lost.noSession': 'このブラウザーで始めたサインインではないか、サインインが終了しています。',
  'lost.advice': 'アプリに戻り、Cookie を許可したうえで、同じブラウザーでもう一度始めてください。',
  'lost.causes': '考えられる原因',
  'lost.tooLong': 'サインインに {minutes}以上かかりました。',
  'lost.cookiesBlocked': '{host} の Cookie がブロックされています。',
  'lost.otherBrowser': 'リンクが別のブラウザー、別の端末、またはプライベートウィンドウで開かれました。',
  'lost.secureRefused':
    '{expected} は https ではないため、このブラウザーは Secure 属性の Cookie を受け付けません。Safari はすべての http アドレスで、Firefox は localhost 以外で拒否します。Chrome は受け付けます。',
  'lost.tooMany': 'このブラウザーで {count} 件を超えるサインインが開かれました。',
  'lost.http': 'ページが https ではなく http で開かれました。',
  'lost.cookie': '見つからない Cookie',
  'lost.expected': '想定されるオリジン',
  'lost.actual': '実際のオリジン',
  'finished.title': 'このサインインはすでに完了しています',
  'finished.text': 'アプリは応答を受け取りました。このページは閉じてかまいません。',
  'finished.advice': 'アプリでサインインした状態になっていない場合は、アプリからやり直してください。',

  'logout.ask': 'サインアウトしますか？',
  'logout.askText': 'このブラウザーは次のアプリにサインインしています：',
  'logout.button': 'サインアウト',
  'logout.stay': 'サインインしたままにするには、このページを閉じてください。',
  'logout.done': 'サインアウトしました',
  'logout.doneFrom': '{client} からサインアウトしました',
  'logout.doneText': 'このページを閉じてかまいません。次のサインインでは新しい証明が必要です。',
  'logout.none': 'サインインしていません',
  'logout.noneFrom': '{client} にサインインしていません',
  'logout.noneText': 'このブラウザーには終了するセッションがありません。このページを閉じてかまいません。',

  'wait.title': 'しばらくお待ちください',
  'wait.text': 'お使いのネットワークからのリクエストが多すぎます。',
  'wait.again': '{wait}後にもう一度お試しください。',
  'wait.now': 'もう一度お試しいただけます。',
  'wait.goesOn': 'その後、このページは自動的に先へ進みます。',
  'wait.retry': 'もう一度試す',

  'notFound.title': 'ページが見つかりません',
  'notFound.text': 'このアドレスには何もありません。',
  'notFound.advice': 'アプリから移動してきた場合は、アプリに戻ってやり直してください。',
  'notFound.home': 'このサービスについて',

  'landing.text':
    '身元を明かさずに、人間であることを証明できるサービスです。アプリがサインインに利用しています。',
  'landing.advice':
    'このページで行うことはありません。サインインするには、利用したいアプリから始めてください。',
  'landing.links': 'リンク',
  'landing.demo': 'デモを試す',
  'landing.wallet': 'デモ用ウォレットを開く',
  'landing.docs': '開発者向けのAPIリファレンス',
  'landing.discovery': '開発者向けの設定情報',

  'formPost.title': 'アプリに戻る',
  'formPost.text': 'アプリに自動的に戻らない場合は、ボタンを押してください。',
  'formPost.button': '続ける',
};
