/** Whether a sentence is a rule for all that is still to come; `bare` has no quotations and no code in it. */
export function isRuleEnglish(bare: string): boolean {
  const said = bare.replace(/(?<![.!])[.!]+$/, "").trim();
  if (said.length < 8 || isQuestion(said) || onceEnglish.test(said) || reportedEnglish.test(said)) return false;
  const body = said.replace(openings, "");
  return rulesEnglish.some((rule) => rule.test(body)) && !noRuleEnglish.test(body);
}

export function isRuleChinese(bare: string): boolean {
  const said = bare.replace(/(?<![。！.!；;，,])[。！.!；;，,]+$/, "").trim();
  if (said.length < 4 || isQuestion(said) || onceChinese.test(said) || reportedChinese.test(said)) return false;
  const body = said.replace(openingsChinese, "");
  return rulesChinese.some((rule) => rule.test(body)) && !noRuleChinese.test(body);
}

function isQuestion(said: string): boolean {
  return questions.some((shape) => shape.test(said));
}

const questions: readonly RegExp[] = [
  /[?？]\s*$/,
  /^(?:when|where|which|who|whose) (?:do|does|did|is|are|was|were|should|can|could|must|will|would|may)\b/i,
  /^(?:why|how|what|do|does|did|is|are|was|were|can|could|should|would|will|shall|may|must|have|has|had|isn't|aren't|don't you|doesn't|won't|shouldn't|couldn't|wouldn't)\s+(?!not\s)(?:i|you|we|they|he|she|it|there|this|that|the|a|an|to|not|my|your|our|these|those|some|any|all)\b/i,
  /^(?:why|how come|what if|i wonder|not sure|wondering)\b/i,
  /[吗呢]$|^(?:为什么|为何|怎么|如何|是否|是不是|能不能|可不可以|要不要|该不该|什么时候|难道)|(?:要不要|能不能|该不该|是不是|可不可以|会不会)/,
];

/** What holds for once only, or is said of something that happened. */
const onceEnglish =
  /\b(?:this time|just (?:this )?once|for now|right now|for the moment|at the moment|this one time|today|tomorrow|tonight|yesterday|last (?:time|week|night|month|year)|in this (?:step|commit|message|turn|case|pr|pull request|change)|^first|for this (?:task|step|commit|change|pr|one|fix)|until (?:i|we|you|the|it)|immediately|asap|as soon as|so far|anymore|any more)\b/i;

/** Said by others, or about what was said. */
const reportedEnglish =
  /\b(?:says?|said|saying|told (?:me|us|them|you)|claims?|according to|complain(?:s|ed|ing)?|error message|warning that|reads?:|documentation states|docs state|states that|i (?:think|guess|believe|suppose|thought|heard|read|wonder)|maybe|perhaps|probably|possibly|might|seems?|apparently|it looks like|not always|n't (?:always|have to|need to)|if (?:i|you|we|it) (?:always|never))\b/i;

/** Politeness, scope and emphasis in front of a rule. */
const openings =
  /^(?:(?:also|and|but|so|ok(?:ay)?|hey|hi|btw|by the way|please|pls|note(?: that)?|important|remember|rule|reminder|note to self|one (?:more )?(?:thing|rule)|general rule|as a (?:general )?rule|a few rules|in general|generally|in (?:this|our|the) (?:project|repo(?:sitory)?|codebase|code base|team|session|company)|for (?:this|our|the) (?:project|repo(?:sitory)?|codebase|session)|(?:when|whenever|before|after|if|while|for|in)\s[^,:]{2,80}(?=[,:]))\s*[,:;–—-]*\s+)+/i;

const standing = "(?:always|never(?: ever)?)";
/** What stands in front of "must not": no pronoun for what just happened, and no piece of work that is asked for. */
const subject =
  "(?!(?:i|it|this|that|there|he|she|add|build|create|implement|fix|write|make|change|update|refactor|remove|delete|rename|move|check|test|explain|show|find|look|help|let's)\\b)[^,]{1,80}?";

const rulesEnglish: readonly RegExp[] = [
  /^(?:please )?(?:always|never(?: ever)?) (?!\p{L}+(?:ed|ing)\b)\p{L}[\p{L}'-]+ \S/iu,
  new RegExp(`^(?:make sure|be sure|remember|ensure)(?: that)?(?: to| you| we)? ${standing} \\S`, "i"),
  new RegExp(`^(?:i want you to|i need you to|i'd like you to|i expect you to) ${standing} \\S`, "i"),
  new RegExp(
    `^(?:it is|it's|it’s) (?:very )?(?:important|essential|crucial|critical) that (?:you|we) ${standing} \\S`,
    "i",
  ),
  new RegExp(
    `^${subject}\\b(?:(?:should|must|shall|need to|has to|have to|ought to) ${standing}|(?:may|can) never) (?!know\\b|have\\b|be too\\b)\\S`,
    "i",
  ),
  new RegExp(
    `^(?:${subject}\\b)?(?:must not|mustn't|must never|mustn’t|shall not) (?!have\\b|be (?:the|a|an|because|since)\\b)\\S`,
    "i",
  ),
  /^(?:all|every|each|any)\s[^,]{1,60}?\bmust (?!have been\b|be (?:the|a|an|because)\b)\S/i,
  /^(?:please )?(?:do not|don't|don’t|dont) (?:you )?ever \S/i,
  /^(?:please )?(?:do not|don't|don’t|dont) \S.{2,200}\b(?:without (?:asking|my (?:ok|okay|permission|approval|consent))|under any circumstances|unless i (?:ask|say|tell)|ever(?: again)?)\b/i,
  /^(?:from now on|from here on(?: out)?|going forward|henceforth|from this point on(?:ward)?|in (?:the )?future)[,:]? (?!it\b|this\b|that\b|there\b|he\b|she\b|they\b|i\b)\S+ \S/i,
  /^(?:you|we|please|use|run|write|keep|put|name|call|commit|answer|reply|only|do|don't|all|every)\b.{3,200},? (?:from now on|going forward|from here on(?: out)?)$/i,
  /^(?:please |i |we |you should |(?:you )?must )?prefer .{1,120}? (?:over|rather than|instead of|to) \S/i,
  /^under no circumstances\b.{3}/i,
  /^(?:it is |it's )?(?:strictly )?(?:forbidden|prohibited) to \S/i,
  /^(?!(?:it|this|that|access|the request|request|the operation|operation|the server)\b)[^,]{2,80}? (?:is|are) (?:strictly |absolutely )?(?:forbidden|prohibited|banned|off limits|off-limits)\b/i,
  /^you(?: are|'re|’re) not allowed to \S/i,
];

/** The same words where they tell, exclaim or wish. */
const noRuleEnglish =
  /^(?:please )?(?:always|never(?: ever)?) (?:mind|been|happy|nice|good|great|fun|glad|true|false|the|a|an|there|that|this|it|he|she|they|works?|worked|fails?|failed|returns?|gets?|got|happens?|had|has|was|were|is|are|did|does|saw|seen|heard|knew|known|thought|felt|found|came|went|gonna|again|before|enough|wanted|understood|undefined|null|empty|on|off|one|two|in|at|sure)\b|\b(?:always|never) (?:was|were|had|did|been|worked|got|happened)\b|^i prefer if\b/i;

/** As in English: for once, or of something that happened. */
const onceChinese =
  /这次|这一次|本次|此次|暂时|暂且|目前|现在(?!起|开始)|眼下|今天|明天|昨天|上次|刚才|刚刚|马上|立刻|立即|赶紧|(?:^|请|，)先(?!后)(?:不要|别|把|看|改|做|修)|先不要|先别|这一步|这个提交|这里先|首先/;

const reportedChinese =
  /报错|错误信息|错误提示|日志(?:里|中|上)?(?:说|写|显示|提示|报)|提示(?:说|：|:|我)|返回了|(?:服务器|接口|系统|它)返回|文档(?:里|中|上)?(?:说|写|提到)|据说|听说|有人说|他说|她说|他们说|老板说|我(?:觉得|认为|想|猜|怀疑|以为|感觉)|可能|也许|大概|或许|好像|似乎|403|404/;

const openingsChinese =
  /^(?:(?:另外|还有|此外|而且|并且|注意|请注意|记住|请记住|重要|规则|提醒|麻烦你?|拜托|好的|那么|对了|在(?:这个|本|我们的?|该)?(?:项目|仓库|代码库|工程)(?:里|中|内)?|(?:本|这个|我们的?)(?:项目|仓库|代码库)(?:里|中|内)?|(?:对于?|关于|在|当|如果|只要|每次)[^，,：:。]{1,40}(?=[，,：:]))[，,：:、\s]*)+/;

const rulesChinese: readonly RegExp[] = [
  /^(?:请|你|我们|大家|代码|提交|所有|每次)?[^，,]{0,16}?(?:始终|一律|务必)(?!都?没|是|会|存在|无法|不能|报|失败|出现|卡|崩)\S.{1,}/,
  /^请?(?:你|我们)?(?:要|应该|必须|得)?(?:总是|永远|一直)(?:要|用|使用|先|在|保持|遵守|写|运行|不要|别)/,
  /^(?:请|你|我们|大家|千万|绝对|永远|以后|今后)*(?:都|也|再|就)*不要(?!紧|钱|脸|命|说|急|怕|担心|客气|误会)\S.{2,}/,
  /^请?(?:再也)?别再?(?:用|使用)\S?.{2,}/,
  /^[^，,]{1,24}(?:永远|绝对|一律|千万|以后都?|都)不(?:要|能|得|许|准|可以)\S{2}/,
  /^(?:请|你)?(?:千万|绝对|永远|以后|今后)(?:都)?(?:别|不能|不许|不准|不得|不可以|不可)\S{2}/,
  /^(?:请|你|我们|大家)?(?:严禁|禁止)(?!访问$)\S{2}/,
  /^[^，,]{2,24}(?:严禁|禁止)\S{2}/,
  /^(?:任何|所有|一切|每个|每次|每一个|全部|凡是)[^，,]{1,30}(?:必须|不得|不许|不准|不能|禁止|都要|都得|应当|都应)/,
  /^(?:请|你|我们|大家|代码|提交|测试|函数|变量|接口|文件|注释|回复|回答)[^，,]{0,20}必须(?!承认|说|是因为|马上)\S.{1,}/,
  /^必须(?!承认|说|是|得承认)\S{2}/,
  /^[^，,]{0,20}(?<![舍记值])(?:不得|不许|不准)(?!不|了|而知|已)\S{2}/,
  /^请?(?:从现在(?:起|开始)|从今(?:以后|往后|天起)|从此|自此|今后|往后|以后|日后)[，,]?(?!再说|再看|再议|可能|会不会|有空|吧)[^，,]{0,24}?(?:都|一律|统一|请|不要|别|必须|务必|始终|只|禁止|用|使用|改用|不用)\S/,
  /^(?:请|你|我们)?(?:尽量)?优先(?:使用|选用|选择|考虑|采用|用|选)?[^，,]{1,40}[，,]?(?:而不是|而非|不要用|不用|胜过|其次)/,
  /^(?:请|我们?|你)?(?:用|使用)[^，,]{1,30}[，,]?(?:永远|一律|始终)不(?:要)?用\S/,
  /^我(?:更|比较)?(?:喜欢|偏好|倾向于?)[^，,]{1,40}(?:而不是|而非|胜过)\S/,
];

const noRuleChinese =
  /必须.{0,6}(?:修复|修好|完成|解决|搞定|实现|改好)|^不要(?:了|啊|吧|嘛)?$|不要这样说|必须的$|以后再|不得不|总是(?:失败|报|出|崩|挂|卡|超时|不)/;
