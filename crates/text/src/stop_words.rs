//! The words of both languages that say nothing about the matter of a text.

use crate::WordSet;

/// Whether a folded word says nothing about the matter.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

static STOP_WORDS: WordSet = WordSet::new(&["
    a about above after again all along also am an and any anyone anything are as at away be because been
    before being below between both but by can cannot could d did do does doing done down during each either
    else etc even ever every everything few for from further get gets getting had has have having he her here
    hers him his how however i if in into is it its itself just let like ll m made make makes making many may
    me might mine more most much must my myself neither no nor not now of off on once one only or other
    others our ours ourselves out over own per please quite rather re really s same she should since so some
    someone something such t than thank thanks that the their theirs them themselves then there therefore
    these they this those through thus to together too towards under until up upon us ve very via was we were
    what when where whether which while who whom whose why will with within without would yes yet you your
    yours yourself

    al algo algun alguna algunas algunos ante aqui asi aun aunque cada como con cual cuales cuando cuanto de
    del desde donde el ella ellas ellos en entre era es esa ese eso esta estan estar estas este esto estos
    fue ha hacia han hasta hay la las le les lo los mas mi mis mucho muy ni nos nosotros o otra otro para
    pero por porque que quien se sea segun ser si sin sobre solo son su sus tambien te todo todos tu tus un
    una unas uno unos usted y ya yo
"]);
