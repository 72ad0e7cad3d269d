//! Orders in languages whose words the tables do not split: two words near each other, in the order of the language or
//! the other way round.
//!
//! Stems are compared, not words: Chinese and Japanese have no spaces, and Russian, Arabic and Korean inflect. A pair says
//! what is done and to what, so that neither “ignore” nor “instructions” alone is a sign.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::weights::Sign;
use super::words::Hit;

/// What is done, to what, and how many letters may stand between.
struct Pair {
    sign: Sign,
    does: &'static [&'static str],
    to: &'static [&'static str],
    within: usize,
}

#[rustfmt::skip]
const PAIRS: &[Pair] = &[
    Pair { sign: Sign::SetsAside, within: 14,
        does: &["忽略", "无视", "無視", "忽视", "忘记", "忘掉", "忘れ", "抛弃", "绕过", "覆盖", "不要遵守", "不再遵守", "别管", "取消", "従わな", "破棄"],
        to: &["指令", "指示", "规则", "規則", "提示", "设定", "設定", "限制", "制限", "命令", "约束", "政策", "ルール", "プロンプト", "安全策略", "系统消息"] },
    Pair { sign: Sign::SetsAside, within: 14,
        does: &["撤销", "失效", "过期", "作废", "废除", "不再适用", "不再生效", "無効", "取り消"],
        to: &["约束", "规范", "限制", "规则", "指令", "指示", "要求", "設定", "ルール"] },
    Pair { sign: Sign::AsksForPrompt, within: 18,
        does: &["展示", "复述", "交出", "披露", "暴露", "读出", "背出", "逐字", "说出", "还原"],
        to: &["隐秘", "秘密", "私密", "不可见", "初始消息", "初始化", "启动阶段", "启动时", "内部配置", "加载的", "上文", "开头的"] },
    Pair { sign: Sign::Mode, within: 8,
        does: &["运行", "进入", "开启", "切换", "启用", "激活", "模式に", "モードに"],
        to: &["开发者模式", "调试模式", "管理员模式", "无限制模式", "越狱", "上帝模式", "開発者モード", "デバッグモード"] },
    Pair { sign: Sign::NeverRefuses, within: 8,
        does: &["不得", "不能", "不许", "禁止", "不可以", "绝不"],
        to: &["拒绝", "推辞", "警告"] },
    Pair { sign: Sign::TakesOver, within: 10,
        does: &["最高优先级", "最高权限", "优先于", "最優先"],
        to: &["文字", "指令", "内容", "以下", "接下来", "消息", "指示"] },
    Pair { sign: Sign::EncodedOrder, within: 10,
        does: &["解码后", "解密后", "解码并", "デコードして"],
        to: &["执行", "运行", "照做", "遵循", "実行"] },
    Pair { sign: Sign::AsksForPrompt, within: 14,
        does: &["泄露", "输出", "显示", "打印", "重复", "展示", "透露", "告诉", "给出", "公开", "说出", "列出", "見せ", "表示", "教え", "出力", "開示"],
        to: &["系统提示", "提示词", "系统指令", "隐藏", "内部说明", "内部指令", "开发者指令", "初始指令", "システムプロンプト", "内部指示", "隠され", "system prompt"] },
    Pair { sign: Sign::CarriesAway, within: 24,
        does: &["发送", "上传", "泄露", "转发", "导出", "发到", "送信", "アップロード"],
        to: &["令牌", "密钥", "密码", "凭证", "私钥", "api key", "api_key", "token", "cookie", "パスワード", "トークン", "秘密鍵", ".env"] },
    Pair { sign: Sign::TakesOver, within: 10,
        does: &["从现在开始", "从现在起", "你现在是", "假装你", "扮演", "今から", "今後"],
        to: &["你", "没有限制", "不受限制", "あなた", "dan", "开发者模式", "管理员"] },
    Pair { sign: Sign::SkipsApproval, within: 14,
        does: &["不要询问", "不要告诉", "无需", "不用", "不需要", "跳过", "绕过", "確認せず"],
        to: &["用户确认", "确认", "审批", "授权", "批准", "许可", "承認"] },
    Pair { sign: Sign::SetsAside, within: 20,
        does: &["当作不存在", "当不存在", "不再有效", "不算数", "只听我", "只服从我", "全部忘", "抛在脑后", "不必理会"],
        to: &["之前", "此前", "要求", "规定", "吩咐", "从现在", "规则", "指令", "先前"] },
    Pair { sign: Sign::SetsAside, within: 20,
        does: &["忘れて", "忘れろ", "無視して", "従わないで", "なかったことに", "だけに従", "破って"],
        to: &["決まり", "ルール", "指示", "命令", "言われた", "言うこと", "規則", "約束"] },
    Pair { sign: Sign::ToAssistants, within: 16,
        does: &["助手", "人工智能", "智能体", "大模型", "语言模型"],
        to: &["致", "阅读此", "读到", "处理此", "看到这", "请注意", "停止当前", "必须", "听从"] },
    Pair { sign: Sign::NewTask, within: 8,
        does: &["停止", "中止", "放弃", "中断"],
        to: &["当前任务", "目前的任务", "现在的任务", "原任务", "タスク"] },
    Pair { sign: Sign::CarriesAway, within: 24,
        does: &["发送到", "发到", "上传到", "转发到", "送信して", "送って"],
        to: &["联系人", "通讯录", "聊天记录", "用户的", "連絡先", "会話", "http"] },
    Pair { sign: Sign::ToAssistants, within: 16,
        does: &["aiへ", "アシスタントへ", "エージェントへ", "モデルへ", "aiは", "アシスタントは"],
        to: &["読", "要約", "処理", "閲覧", "この", "以前の", "忘れ", "送信", "無視"] },
    Pair { sign: Sign::ToAssistants, within: 40,
        does: &["помощнику", "ассистенту", "нейросети", "модели", "ии-агенту", "боту"],
        to: &["котор", "чита", "обрабатыва", "внимание"] },
    Pair { sign: Sign::SkipsApproval, within: 20,
        does: &["不要告知", "不要告诉", "不要通知", "别告诉", "知らせず", "伝えず", "確認せず", "ничего не говори", "не говори", "не сообщай", "без ведома", "не спрашивай"],
        to: &["用户", "主人", "任何人", "利用者", "ユーザー", "誰にも", "購入", "владельц", "пользовател", "никому", "разрешени"] },
    Pair { sign: Sign::CarriesAway, within: 40,
        does: &["перешли", "отправь", "вышли", "转发", "发送", "转发到", "転送", "送って"],
        to: &["парол", "ключ", "токен", "验证码", "密码", "凭证", "パスワード", "認証コード"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["не имеет силы", "не имеют силы", "больше не действ", "не считается", "только мои приказ", "только на мои", "слушай только меня"],
        to: &["велел", "сказал", "приказ", "раньше", "правил", "инструкц", "до этого"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["игнорир", "проигнорир", "забуд", "отбрось", "отмени", "пренебрег", "обойди", "не следуй", "не обращай внимания", "нарушь", "сбрось"],
        to: &["инструкц", "указани", "правил", "промпт", "промт", "команд", "ограничени", "сообщени", "всё, что", "все, что", "предыдущ"] },
    Pair { sign: Sign::AsksForPrompt, within: 40,
        does: &["покажи", "выведи", "раскрой", "повтори", "напечатай", "сообщи", "назови", "перечисли", "расскажи", "выдай", "процитируй"],
        to: &["системн", "промпт", "промт", "свои инструкц", "твои инструкц", "скрыт", "начальн", "исходные инструкц"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["отменен", "отменён", "недействительн", "устарел", "больше не действу", "утратил"],
        to: &["инструкц", "указани", "правил", "ограничени", "предыдущ"] },
    Pair { sign: Sign::ToAssistants, within: 40,
        does: &["ассистент,", "помощник,", "агент,", "нейросеть,", "бот,"],
        to: &["не выполняй", "отправь", "забудь", "с этого момента", "покажи", "удали", "игнорируй"] },
    Pair { sign: Sign::SetsAside, within: 30,
        does: &["не выполняй", "не слушай", "не подчиняйся"],
        to: &["указани", "пользовател", "инструкц", "приказ"] },
    Pair { sign: Sign::TakesOver, within: 30,
        does: &["ты теперь", "теперь ты", "с этого момента", "отныне", "притворись", "представь, что ты", "действуй как"],
        to: &["без ограничени", "администратор", "ты ", "dan", "ассистент", "не связан", "модель", "режим"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["무시", "잊어", "잊으", "따르지 마", "무효"],
        to: &["지시", "명령", "규칙", "프롬프트", "지침", "제한"] },
    Pair { sign: Sign::AsksForPrompt, within: 30,
        does: &["보여", "출력", "알려", "공개", "말해"],
        to: &["시스템 프롬프트", "시스템 지시", "숨겨진", "초기 지시", "내부 지침"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["تجاهل", "انس", "لا تتبع", "تجاوز"],
        to: &["التعليمات", "تعليمات", "القواعد", "الأوامر", "القيود", "التوجيهات"] },
    Pair { sign: Sign::AsksForPrompt, within: 40,
        does: &["اعرض", "أظهر", "اكشف", "اطبع", "أخبرني"],
        to: &["موجه النظام", "تعليمات النظام", "التعليمات المخفية", "تعليماتك"] },
    Pair { sign: Sign::TakesOver, within: 30,
        does: &["أنت الآن", "من الآن", "تصرف ك"],
        to: &["مدير", "بدون قيود", "مساعد", "نموذج", "النظام"] },
    Pair { sign: Sign::ToAssistants, within: 40,
        does: &["أيها المساعد", "أيها الوكيل", "إلى المساعد"],
        to: &["تجاهل", "أرسل", "احذف", "اعرض", "يجب"] },
    Pair { sign: Sign::CarriesAway, within: 40,
        does: &["أرسل", "ارسل", "حوّل", "انقل"],
        to: &["كلمة المرور", "كلمات المرور", "جهات الاتصال", "البيانات", "المفتاح"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["अनदेखा", "नज़रअंदाज़", "नजरअंदाज", "भूल जा", "उपेक्षा"],
        to: &["निर्देश", "नियम", "आदेश", "प्रॉम्प्ट"] },
    Pair { sign: Sign::SetsAside, within: 40,
        does: &["zignoruj", "ignoruj", "zapomnij", "pomiń", "yok say", "unut", "görmezden gel", "bo qua", "bỏ qua", "negeer", "vergeet", "ignorera", "glöm", "abaikan", "lupakan"],
        to: &["instrukcj", "polece", "zasad", "talimat", "kural", "komut", "hướng dẫn", "chỉ dẫn", "instructies", "regels", "opdracht", "instruktion", "regler", "instruksi", "perintah", "aturan"] },
];

/// How far before an act the word may stand that forbids it, in letters.
const FORBIDDEN: usize = 4;

/// What is done, of all pairs. Most texts have none of it, and one pass over them shows that.
static DOES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(PAIRS.iter().flat_map(|pair| pair.does)).ok());

/// Every pair in the text, by where it begins. One of each pair is enough.
pub(super) fn hits(text: &str, lower: &str) -> Vec<Hit> {
    if DOES.as_ref().is_some_and(|does| !does.is_match(lower)) {
        return Vec::new();
    }
    // Where lowering changed a letter's length, places would be wrong: then there is none to quote.
    let same = lower.len() == text.len();
    let found = PAIRS.iter().filter_map(|pair| {
        let (at, end) = pair.find(lower)?;
        let (at, end) = if same { (at, end) } else { (0, 0) };
        Some(Hit { at, end, sign: pair.sign })
    });
    found.collect()
}

impl Pair {
    /// Where the two words stand near each other.
    fn find(&self, text: &str) -> Option<(usize, usize)> {
        for does in self.does {
            for (at, _) in text
                .match_indices(does)
                .filter(|(at, _)| !self.is_forbidden(text, *at) && !is_password(text, *at + does.len()))
            {
                let after = at + does.len();
                let ahead =
                    self.clause(near(text.get(after..).unwrap_or_default(), self.within, false), false);
                if let Some((place, to)) = self.first_in(ahead) {
                    return Some((at, after + place + to.len()));
                }
                let behind = self.clause(near(text.get(..at).unwrap_or_default(), self.within, true), true);
                if let Some((place, _)) = self.first_in(behind) {
                    return Some((at - behind.len() + place, after));
                }
            }
        }
        None
    }

    /// Whether the clause forbids what is done at this place. Some pairs are about what is forbidden.
    fn is_forbidden(&self, text: &str, at: usize) -> bool {
        const FORBIDS: &[&str] = &["不要", "请勿", "切勿", "不得", "禁止", "别把", "не "];
        let before = near(text.get(..at).unwrap_or_default(), FORBIDDEN, true);
        let clause = before.rsplit(['，', '、']).next().unwrap_or(before);
        !matches!(self.sign, Sign::SkipsApproval | Sign::NeverRefuses | Sign::ToAssistants)
            && FORBIDS.iter().any(|word| clause.contains(word))
    }

    /// What is set aside stands in the same clause: in Chinese and Japanese the next one has its own verb.
    fn clause<'a>(&self, part: &'a str, backwards: bool) -> &'a str {
        const COMMAS: &[char] = &['，', '、'];
        match self.sign {
            Sign::SetsAside | Sign::AsksForPrompt if backwards => part.rsplit(COMMAS).next().unwrap_or(part),
            Sign::SetsAside | Sign::AsksForPrompt => part.split(COMMAS).next().unwrap_or(part),
            _ => part,
        }
    }

    fn first_in(&self, part: &str) -> Option<(usize, &'static str)> {
        self.to.iter().find_map(|to| part.find(to).map(|place| (place, *to)))
    }
}

/// Whether it is a password that was forgotten: the words of every login page.
fn is_password(text: &str, at: usize) -> bool {
    let after = text.get(at..).unwrap_or_default();
    ["密码", "密碼", "パスワード"].iter().any(|word| after.starts_with(word))
}

/// The letters next to a place, so many at most and within one sentence.
fn near(text: &str, most: usize, backwards: bool) -> &str {
    const ENDS: &[char] = &['。', '！', '？', '\n', '.', '!', '?'];
    // What is looked for may begin within reach and go on behind it.
    let reach = most + 12;
    if backwards {
        let from = text.char_indices().rev().take(reach).last().map_or(text.len(), |(at, _)| at);
        let part = text.get(from..).unwrap_or_default();
        return part.rsplit(ENDS).next().unwrap_or(part);
    }
    let to = text.char_indices().nth(reach).map_or(text.len(), |(at, _)| at);
    let part = text.get(..to).unwrap_or_default();
    part.split(ENDS).next().unwrap_or(part)
}
