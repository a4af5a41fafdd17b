package assistant_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

// An answer that ends with "I will look" answers nothing.
func TestAPromiseOfACall(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"I will look.", "Let me look at the systems first.", "I'll check the catalog for you.", "Sure! Let me fetch the list of systems:",
		"Okay, I'll now query the health checks…", "To find out which systems are unhealthy, I will query the health checks.", "Let me check.",
		"I don't know that yet, so let me search the documentation.", "**Let me look that up.**", "I'm going to investigate the incident.",
		"I’ll go ahead and retrieve the owners.", "I am checking the board now.", "Checking the systems now…", "One moment while I gather the details.",
		"The system is down.\n\nLet me see which checks are red.", "First, I'll use the catalog search tool.", "Let me call `catalog_listSystems`.",
		"I'll start by listing all systems.", "Let me check if payments is healthy.", "I'll create the health check now.", "Hold on, let me have a look 🔍",
		"I have the list. Next, I'll read the first incident.", "I will look once more.", "I'll take a closer look at payments.", "Understood, let me run the check.",
		"I need to look up the owner first.", "One moment, please.", "Let me try that again with another filter.", "Okay, looking it up.", "Let me see.",
		"Ich werde die Systeme prüfen.", "Ich schaue mir das gleich an.", "Lass mich kurz nachsehen.", "Einen Moment, ich prüfe jetzt die Systeme.",
		"Dazu rufe ich zuerst die Liste der Systeme ab.", "Ich sehe nach.", "Gerne! Ich werde die Dokumentation durchsuchen und dann antworten.",
		"Je vais vérifier l'état des systèmes.", "Laissez-moi consulter le catalogue.", "D'accord, je regarde ça tout de suite.", "Je vais regarder.",
		"Voy a revisar los sistemas.", "Déjame buscarlo.", "Claro, voy a consultar el catálogo ahora.", "Permíteme verificar si está sano.",
		"Lasciami controllare lo stato dei sistemi.", "Controllo subito.", "Verificherò i sistemi.", "Vou verificar os sistemas.", "Deixe-me consultar a lista.",
		"Ik ga de systemen controleren.", "Laat me dat even opzoeken.", "Jag ska kontrollera systemen.", "La meg sjekke det.", "Lad mig tjekke systemerne.",
		"Sprawdzę stan systemów.", "Zaraz sprawdzę.", "Podívám se na systémy.", "Сейчас проверю состояние систем.", "Я посмотрю.",
		"Давайте посмотрю список систем.", "Зараз перевірю.", "Sistemleri kontrol edeceğim.", "Hemen bakıyorum.", "Saya akan memeriksa sistem.",
		"Tôi sẽ kiểm tra các hệ thống.", "Để tôi xem.", "سأتحقق من الأنظمة.", "मैं सिस्टम की जाँच करता हूँ।",
		"让我查一下，请稍候。", "请稍后。", "正在为您查询系统状态…", "我正在检查系统。", "马上为您查询。", "我需要先查看系统。", "我去查一下。", "等一下，我看看。",
		"請稍後。", "请稍等，让我为您查找。", "稍等，我查一下日志。", "请稍等片刻。",
		"让我查看一下系统。", "好的，我来查询系统状态。", "我会检查这些系统。", "请稍等，我马上查一下。", "讓我檢查一下系統。",
		"システムを確認します。", "まず、システムの一覧を取得します。", "調べてみます。", "少々お待ちください。", "システムの状態を確認いたします。",
		"시스템 상태를 확인해 보겠습니다.", "찾아보겠습니다.", "조회하겠습니다.",
	} {
		require.True(t, assistant.PromisesCall(said), said)
	}
}

// What answers, asks, waits for the person or speaks of another time is no promise.
func TestAnHonestAnswerIsNoPromise(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"", "Payments is down since noon.", "One moment, here it is.", "Let me see, here are all three of them.",
		"Three systems are unhealthy:\n- payments\n- billing\n- search", "Let me know if you need more.",
		"Let me know which system you mean.", "Would you like me to check the logs?", "Shall I look at the incident?", "I can check the logs for you.",
		"I will look at it again once you have applied the change.", "I'll check the status after you have decided.", "I'll keep my answers short.",
		"If you want, I'll search the documentation.", "I will check it tomorrow.", "Tell me the name, and I'll look it up when you have.",
		"I looked at all systems. None is red.", "I have checked the catalog.", "I could not find it.", "I need the name of the system.",
		"Let me summarize: two of three checks are green.", "Let me compare: payments is slower than billing.", "I will remember that.",
		"I'd check the logs first.", "You should check the database first.", "Next, check the logs of the database.", "Please check the logs.",
		"I'll use metric units from now on.", "I will call you Sam.", "I look forward to your decision.", "I'll get back to you with that next time.",
		"My plan:\n1. I'll list the systems.\n2. I'll compare them.", "> I will look into it.", "She wrote \"I will look into it.\"",
		"Dear team,\n\nI will look into it.\n\nBest regards", "Checking every system takes a minute.", "Looking at the logs, the database was full.",
		"It searches the catalog and lists systems.", "Let me add that the outage was short.", "I won't change anything.", "I will not look at that.",
		"The check looks at the certificate now and then.", "Let me explain how checks work.", "I would need to call the tool with an id.",
		"I need your approval first.", "The proposal waits for your approval. I'll run it then.", "I'm calling it a network issue.",
		"I cannot delete it. I have to run this by an administrator.", "I need to know which system you mean.", "I'll check it, please confirm the name.",
		"Please wait for the approval; then I'll continue.", "The owner said he will check it.", "They will investigate the incident.",
		strings.Repeat("Payments is slow since the release of yesterday. ", 30) + "I'll look into billing.",
		"```\nlet me look\n```", "| let me check | ok |", "Sag mir Bescheid, ich prüfe es dann morgen.", "Soll ich das prüfen?", "Ich habe alle Systeme geprüft.",
		"Wenn Sie möchten, werde ich die Systeme prüfen.", "Ich kann das prüfen.", "Bitte prüfen Sie die Logs.", "Die Prüfung sucht nach Fehlern.",
		"Ich werde mich kurz fassen.", "Ich prüfe Systeme nur auf Anfrage.", "Ich lasse es Sie wissen.",
		"Voulez-vous que je vérifie ?", "J'ai vérifié les systèmes.", "Si vous voulez, je vais vérifier les systèmes.", "Je peux vérifier cela.",
		"He revisado los sistemas.", "Puedo revisarlo si quieres.", "Cuando lo apruebes, voy a comprobar el estado.", "Ho controllato i sistemi.",
		"Se vuoi, controllo subito.", "Verifiquei os sistemas.", "Se quiser, vou verificar os sistemas.", "Ik heb de systemen gecontroleerd.",
		"Als je wilt, ga ik dat opzoeken.", "Sprawdziłem systemy.", "Jeśli chcesz, sprawdzę to.", "Я проверил системы.", "Если хотите, я проверю логи.",
		"Проверьте логи базы данных.", "Sistemleri kontrol ettim.", "İsterseniz sonra bakacağım.", "Saya sudah memeriksa sistem.", "Nếu bạn muốn, tôi sẽ kiểm tra.",
		"请稍等审批完成后再继续。", "请稍后再试。", "系统正在查询数据库时出错。", "稍后您会收到通知。", "系统正在检查中，结果稍后显示在页面上。",
		"检查正在运行。", "我需要您的批准。", "支付系统正在检查证书。",
		"我已经检查了所有系统。", "您可以查看日志。", "如果您需要，我会查看日志。", "需要我查看日志吗？", "请您检查数据库。",
		"システムを確認しました。", "このツールは状態を確認します。", "必要な場合は確認します。", "確認しますか？", "ログを確認してください。",
		"시스템을 확인했습니다.", "원하시면 확인해 보겠습니다.", "로그를 확인해 주세요.",
	} {
		require.False(t, assistant.PromisesCall(said), said)
	}
}

// Whatever a model says, it is judged in little time.
func FuzzPromisesCall(f *testing.F) {
	for _, seed := range []string{"I will look.", "Let me check: \xff", "让我查看一下系统。", "1. I'll look\n```", strings.Repeat("let me ", 200), "a - b — c: "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		if assistant.PromisesCall(said) {
			require.NotEmpty(t, strings.TrimSpace(said))
			require.False(t, assistant.PromisesCall(said+"\n\nPayments is down since noon."), "what follows answers")
		}
	})
}
