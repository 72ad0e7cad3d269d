//! The words that say little about the matter of a text.
//!
//! All tables of this folder hold folded words: lower case, without accents.

use std::sync::LazyLock;

use candor_model::{AgentCapability, IdMap};
use candor_text::{WordSet, fold, is_stop_word, words};

/// Whether the word only asks, praises or fills, and so hardly tells one agent from another.
pub(crate) fn is_chatter(word: &str) -> bool {
    static TABLE: LazyLock<IdMap<&str, ()>> =
        LazyLock::new(|| CHATTER.split_whitespace().map(|word| (word, ())).collect());
    TABLE.get(word).is_some()
}

/// How many words of a text tell what it is about.
pub(crate) fn telling_words(text: &str) -> usize {
    words(text).map(fold).filter(|word| !is_stop_word(word) && !is_chatter(word)).count()
}

/// Whether an agent says of itself that it does anything, or says nothing of itself.
pub(crate) fn does_anything(agent: &AgentCapability) -> bool {
    let said = format!("{} {}", agent.specialization, agent.capabilities.join(" "));
    telling_words(&said) == 0 || words(&said).any(|word| ANYTHING.contains(&fold(word)))
}

static ANYTHING: WordSet = WordSet::new(&["
    all any anything cualquier cualquiera every everything general generalist generalista toda todas todo todos whatever
"]);

const CHATTER: &str = "
    able access according achieve add allow allows amazing anticipated appear appreciate area around ask
    asking aspect aspects assist assistance assistant attention available aware bad based basic become begin
    believe benefit benefits best better big bored bring call called capability capable captivating case
    certain chance change check checking choice choose choosing clear clearly close come comfortable common
    complete complex comprehensive consider considering context correct critical curious current currently
    daily date day days deal decide deep detail detailed details determine different difficult directly
    discover diverse easily easy effective effectively efficient enable end engage engaging enhance enjoy
    enjoyable ensure entire especially evening exact exactly example excellent exciting excited existing
    expect expected experience experienced experiencing expert explain explore exploring extensive extra eye
    fact factors familiar famous fast favorite feature features featuring feel figure final find finding
    first five focus focusing follow following forget four free frequently friend friendly friends full
    fully fun future gain general generated give given giving go goal going gone good great greatly
    greetings group guidance guide guys happen happy hard hear hearing hello help helpful helping helps hey
    hi high highly hope hour hours huge human humans idea ideas identify immediate immersive impact
    important improve improving include included includes including increase individual individuals info
    information informative inspiration inspire inspiring instead intelligent interact interested interesting
    involved issue issues keep key kind know knowing knowledge known large last late later latest lead learn
    learning least level life lifestyle likely line list little live living ll long longer look looked
    looking lot love low main maintain manage maximize means measurable method methods middle mind minute
    minutes modern moment month months mood moreover multiple name named names near necessary need needed
    needs new next nice night notable number numerous objective obtain offer offering offers often ok old
    online open option optional options order out overall overwhelmed particular particularly partner pass
    passion passionate people perfect perform perhaps period person personal personalized perspective place
    play plugin point popular possible potential powerful powered practice practices preferably prefer
    present pretty problem process professional profile progress project promise proper provide provided
    provides providing purpose put question questions quick quickly range read ready real realtime receive
    recent recently recommend recommendation recommendations recommended regarding regular regularly related
    relevant reliable request requesting requests require required requires respond response responses right
    round run running save say search see seeking seem select send serve set several share show showing
    significant similar simple simply single situation size skill skills small solution soon special
    specific specifically specified start started starting state stay step steps stop strong struggling
    stuck stunning success suggest suggesting suggestion suggestions suitable super support sure surprise
    tailored take taking task tasks technique techniques tell term terms thing things think thinking three
    time times tip tips title today told tomorrow tonight took tool tools top total track trend trends
    tried tries trouble try trying turn two type types unable understand understanding unforgettable unique
    updated updates use used useful user users uses using usually valuable value variety various vast
    version view visit want wanted wants way ways week weekend weeks welcome well went wide wish wonder
    wonderful wondering word words work working works world worldwide worry write writing written wrong year
    years yesterday youre
    agent agents ai api app application apps bot chat chatbot chatgpt gpt plugins
";
